<?php
function verify(string $secret, string $id, string $timestamp, string $signatures, string $body): bool
{
    $key = (string) base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    $genuine = array_filter(explode(' ', $signatures), fn($each) => hash_equals($expected, $each));
    return $key !== '' && $genuine && abs(time() - (int) $timestamp) < 300;
}
