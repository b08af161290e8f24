package signature

// KeyBytes is the key that the text of a secret stands for. Its error shows
// nothing of the text.
func KeyBytes(d Decoding, text string) ([]byte, error) { return keyBytes(d, text) }
