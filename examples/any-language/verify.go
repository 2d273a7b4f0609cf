package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"
)

func verify(secret, id, timestamp, signatures string, body []byte) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	genuine := false
	for _, each := range strings.Fields(signatures) {
		genuine = genuine || hmac.Equal([]byte(each), []byte(expected))
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	return err == nil && len(key) > 0 && genuine && time.Since(time.Unix(seconds, 0)).Abs() < 5*time.Minute
}
