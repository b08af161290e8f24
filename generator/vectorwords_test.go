package generator

import "fmt"

// signature writes the fields of the vectors in the contract's words.
func (s vectorSender) signature() map[string]any {
	out := map[string]any{}
	for name, v := range s.Scheme {
		switch name {
		case "key":
			k := v.(map[string]any)
			out["decode"] = renamed(k, map[string]string{"encoding": "encoding", "strip_prefix": "stripPrefix", "pre_hash": "preHash"})
		case "signature":
			placeOf(v.(map[string]any), out)
		case "timestamp":
			t := v.(map[string]any)
			out["timestamp"] = map[string]any{"from": selectorOf(t), "format": t["format"],
				"tolerance": seconds(t["tolerance_s"]), "futureTolerance": seconds(t["future_tolerance_s"])}
		case "id":
			out["id"] = selectorOf(v.(map[string]any))
		case "content":
			out["content"] = contentOf(v)
		case "require":
			var all []any
			for _, r := range v.([]any) {
				all = append(all, map[string]any{"from": selectorOf(r.(map[string]any)), "equals": r.(map[string]any)["equals"]})
			}
			out["require"] = all
		case "body_hash":
			h := v.(map[string]any)
			out["bodyHash"] = map[string]any{"from": selectorOf(h), "hash": h["hash"], "encoding": h["encoding"]}
		case "claims":
			out["claims"] = claimsOf(v.(map[string]any))
		case "url_normalize":
			out["urlNormalize"] = v
		case "confirm":
			out["reason"] = v
		default:
			out[name] = v
		}
	}
	return out
}

func placeOf(v, out map[string]any) {
	switch from := v["from"].(type) {
	case []any:
		var all []string
		for _, f := range from {
			all = append(all, selectorOf(f.(map[string]any)))
		}
		out["from"] = all
	case map[string]any:
		out["from"] = selectorOf(from)
	}
	for _, name := range []string{"prefix", "encoding", "case", "repeat", "form"} {
		if v[name] != nil {
			out[name] = v[name]
		}
	}
	if v["prefix_optional"] != nil {
		out["prefixOptional"] = v["prefix_optional"]
	}
	if v["format"] == "list" {
		out["list"] = renamed(v, map[string]string{"item_sep": "separator", "kv_sep": "name", "tag": "tag", "skip": "skip", "trim": "trim"})
	}
}

func contentOf(v any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	var all []any
	for _, item := range list {
		if f, ok := item.(map[string]any); ok {
			item = renamed(f, map[string]string{"from": "from", "names": "names", "each": "each", "sep": "sep", "exclude": "exclude", "unique": "unique", "secret_as": "secretAs"})
		}
		all = append(all, item)
	}
	return all
}

func claimsOf(v map[string]any) map[string]any {
	out := renamed(v, map[string]string{"equals": "equals", "nbf": "nbf", "exp": "exp"})
	if v["leeway_s"] != nil {
		out["leeway"] = seconds(v["leeway_s"])
	}
	for from, to := range map[string]string{"body_hash": "bodyHash", "url_hash": "urlHash"} {
		if h, ok := v[from].(map[string]any); ok {
			out[to] = renamed(h, map[string]string{"claim": "claim", "hash": "hash", "encoding": "encoding", "absent_when_empty": "absentWhenEmpty"})
		}
	}
	if m, ok := v["max_age"].(map[string]any); ok {
		out["maxAge"] = map[string]any{"claim": m["claim"], "tolerance": seconds(m["tolerance_s"]), "futureTolerance": seconds(m["future_tolerance_s"])}
	}
	return out
}

func renamed(v map[string]any, names map[string]string) map[string]any {
	out := map[string]any{}
	for from, to := range names {
		if v[from] != nil {
			out[to] = v[from]
		}
	}
	return out
}

func seconds(v any) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprintf("%vs", v)
}

func selectorOf(v map[string]any) string {
	switch v["in"] {
	case "json":
		return v["path"].(string)
	case "item":
		return "item:" + v["path"].(string)
	case "signature":
		if v["name"] != nil {
			return "element:" + v["name"].(string)
		}
		return fmt.Sprintf("element:%v", v["index"])
	case "method":
		return "method"
	default:
		return fmt.Sprintf("%v:%v", v["in"], v["name"])
	}
}
