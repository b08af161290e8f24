package initial

import "strings"

// Receiver is one entry of whgen.yaml.
type Receiver struct {
	Contract, Overlay string // forward slashes, from the folder of whgen.yaml
	Engine            string
}

// Config is a whgen.yaml with one receiver.
func Config(r Receiver) []byte {
	return []byte("version: 1\nreceivers:\n" + Entry(r))
}

// Entry is the receiver's entry in a whgen.yaml, indented as in Config.
func Entry(r Receiver) string {
	var b strings.Builder
	b.WriteString("  - contract: " + yamlText(r.Contract) + "\n")
	if r.Overlay != "" {
		b.WriteString("    overlays: [" + yamlText(r.Overlay) + "]\n")
	}
	b.WriteString("    engine: " + r.Engine)
	if r.Engine == "sqlite" {
		b.WriteString(" # needs no server; postgres where there is one")
	}
	return b.String() + "\n"
}
