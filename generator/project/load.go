package project

import "github.com/whgen/whgen/spec"

// receivers reads the configuration.
func (p *Project) receivers() ([]spec.Receiver, spec.Diagnostics) {
	c, found := spec.LoadConfig(p.config, p.reader().file)
	if c == nil {
		return nil, found
	}
	return c.Receivers, found
}

// load reads one receiver's contract.
func load(r spec.Receiver, files *reader) (*spec.Contract, spec.Diagnostics) {
	return spec.Load(r, files.file)
}
