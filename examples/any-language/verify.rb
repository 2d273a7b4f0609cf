require "openssl"

def verify(secret, id, timestamp, signatures, body)
  key = secret.delete_prefix("whsec_").unpack1("m0")
  expected = "v1," + [OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.#{body}")].pack("m0")
  genuine = signatures.split.any? { |each| OpenSSL.secure_compare(each, expected) }
  !key.empty? && genuine && (Time.now.to_i - timestamp.to_i).abs < 300
end
