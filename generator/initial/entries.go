package initial

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/whgen/whgen/spec"
)

// bodied are the methods that an entry can have.
var bodied = []string{"post", "put", "patch", "delete"}

// entries chooses what is received. Webhooks are; of callbacks and paths, one
// that stands alone is, several are a question.
func (p *proposer) entries(patterns []string) error {
	var webhooks, callbacks, paths []*entry
	for _, o := range p.survey.Operations {
		switch {
		case !fits(patterns, o.Name):
			continue
		case o.Target == "" && o.Container != "paths":
			p.left = append(p.left, leftOut{o.Name, "because no overlay can reach them"})
			continue
		case !slices.Contains(bodied, o.Method) && o.Container != "paths":
			p.left = append(p.left, leftOut{o.Name + " (" + strings.ToUpper(o.Method) + ")", "because their method carries no body"})
			continue
		case o.Target == "" || o.Container == "paths" && o.Method != "post":
			continue
		}
		switch e := (&entry{Operation: o}); o.Container {
		case "callbacks":
			callbacks = append(callbacks, e)
		case "paths":
			paths = append(paths, e)
		default:
			webhooks = append(webhooks, e)
		}
	}
	for _, pattern := range patterns {
		if !slices.ContainsFunc(p.survey.Operations, func(o *spec.Operation) bool { return fits([]string{pattern}, o.Name) }) {
			return fmt.Errorf("no entry of %s is called %q", p.survey.File, pattern)
		}
	}
	switch {
	case len(webhooks) > 0:
		for _, e := range callbacks {
			p.left = append(p.left, leftOut{e.Name, "because they are callbacks beside webhooks"})
		}
		p.taken = p.unique(webhooks)
	case len(callbacks) > 0:
		p.taken = p.unique(callbacks)
	case len(paths) == 1 || len(paths) > 0 && len(patterns) > 0:
		p.taken = paths
	default:
		p.open = true
		p.taken = likely(paths)
		p.shapes = eventSchemas(p.survey.Schemas)
		if len(p.taken) == 0 && len(p.shapes) > 0 {
			// What the entry would be is judged by the likeliest schema.
			p.taken = []*entry{{Operation: &spec.Operation{Name: "event", Members: p.shapes[0].Members}}}
		}
	}
	return nil
}

// unique leaves out further operations of one name: the entries of a contract
// have different ones. Of several methods POST is taken.
func (p *proposer) unique(all []*entry) []*entry {
	posted, seen := map[string]bool{}, map[string]bool{}
	for _, e := range all {
		posted[e.Name] = posted[e.Name] || e.Method == "post"
	}
	return slices.DeleteFunc(all, func(e *entry) bool {
		again := seen[e.Name] || posted[e.Name] && e.Method != "post"
		if again {
			p.left = append(p.left, leftOut{e.Target, "because an entry of their name is taken already, and names are unique"})
			return true
		}
		seen[e.Name] = true
		return false
	})
}

// likely are the paths that sound like receivers and whose body tells type and
// id of what happened, or is a batch; at most ten.
func likely(paths []*entry) []*entry {
	var all []*entry
	for _, e := range paths {
		lower := strings.ToLower(e.Name + " " + e.Target)
		named := slices.ContainsFunc([]string{"hook", "callback", "notif", "event", "receive"}, func(word string) bool { return strings.Contains(lower, word) })
		if named && (tells(e, typeNames) && tells(e, idNames) || slices.ContainsFunc(batchNames, func(name string) bool { return holdsBatch(e, "/"+name+"/*") })) && len(all) < 10 {
			all = append(all, e)
		}
	}
	return all
}

// tells reports whether a body has a member of such a name at its top.
func tells(e *entry, names []string) bool {
	return slices.ContainsFunc(e.Members, func(m spec.Member) bool {
		return depth(m) == 1 && scalar(m, "string", "integer") && rank(m, names) >= 0
	})
}

func fits(patterns []string, name string) bool {
	if len(patterns) == 0 {
		return true
	}
	// path.Match keeps a star from slashes, which mean nothing in these names.
	plain := strings.ReplaceAll(name, "/", "\x00")
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), plain)
		return err == nil && ok
	})
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, ok := strings.CutSuffix(what, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
