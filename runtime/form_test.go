package runtime

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"strings"
	"testing"
)

func TestNestedViewOfForms(t *testing.T) {
	fields := []Field{
		{Pointer: "", Type: ObjectField},
		{Pointer: "/n", Type: NumberField}, {Pointer: "/none", Type: NumberField, Nullable: true},
		{Pointer: "/on", Type: BooleanField}, {Pointer: "/tags", Type: ArrayField}, {Pointer: "/tags/*", Type: NumberField},
		{Pointer: "/o", Type: ObjectField}, {Pointer: "/by", Type: ObjectField}, {Pointer: "/by/*", Type: NumberField},
		{Pointer: "/f[x]"},
	}
	flat := map[string]bool{}
	flatNames(flat, fields)
	for text, want := range map[string]struct{ text, typed, odd string }{
		"":                                {`{}`, `{}`, ""},
		"data[FIELDS][ID]=7&n=01&n2=2":    {`{"data":{"FIELDS":{"ID":"7"}},"n":"01","n2":"2"}`, `{"data":{"FIELDS":{"ID":"7"}},"n":"01","n2":"2"}`, "/n"},
		"n=9007199254740993&on=1&none=":   {`{"n":"9007199254740993","on":"1","none":""}`, `{"n":9007199254740993,"on":true,"none":null}`, ""},
		"on=yes&n=":                       {`{"on":"yes","n":""}`, `{"on":"yes","n":""}`, "/n /on"},
		"tags[]=1&tags[]=2":               {`{"tags":["1","2"]}`, `{"tags":[1,2]}`, ""},
		"tags[1]=b&tags[0]=1":             {`{"tags":["1","b"]}`, `{"tags":[1,"b"]}`, "/tags/1"},
		"tags=1&tags=2":                   {`{"tags":["1","2"]}`, `{"tags":[1,2]}`, ""},
		"tags=5":                          {`{"tags":"5"}`, `{"tags":[5]}`, ""},
		"tags=[1,2]":                      {`{"tags":"[1,2]"}`, `{"tags":[1,2]}`, ""},
		"tags[3]=1":                       {`{"tags":{"3":"1"}}`, `{"tags":{"3":1}}`, "/tags"},
		`o={"a":1}&p={"a":1}`:             {`{"o":"{\"a\":1}","p":"{\"a\":1}"}`, `{"o":{"a":1},"p":"{\"a\":1}"}`, ""},
		"by[0]=1&by[1]=2":                 {`{"by":["1","2"]}`, `{"by":{"0":1,"1":2}}`, ""},
		"0=a&1=b":                         {`{"0":"a","1":"b"}`, `{"0":"a","1":"b"}`, ""},
		"f[x]=1&g[x]=2":                   {`{"f[x]":"1","g":{"x":"2"}}`, `{"f[x]":"1","g":{"x":"2"}}`, ""},
		"a=1&a[b]=2&a[c]=3":               {`{"a":"1","a[b]":"2","a[c]":"3"}`, `{"a":"1","a[b]":"2","a[c]":"3"}`, ""},
		"a[c]=3&a[b]=2&a=1":               {`{"a[c]":"3","a[b]":"2","a":"1"}`, `{"a[c]":"3","a[b]":"2","a":"1"}`, ""},
		"l[][k]=1&l[][k]=2":               {`{"l":[{"k":"1"},{"k":"2"}]}`, `{"l":[{"k":"1"},{"k":"2"}]}`, ""},
		"a[=1&[b]=2&a[b]c=3&a[[b]]=4":     {`{"a[":"1","[b]":"2","a[b]c":"3","a[[b]]":"4"}`, `{"a[":"1","[b]":"2","a[b]c":"3","a[[b]]":"4"}`, ""},
		"x=1;y=2&&z&q=%26+%2B&%C3%A9=%22": {`{"x":"1;y=2","z":"","q":"& +","é":"\""}`, `{"x":"1;y=2","z":"","q":"& +","é":"\""}`, ""},
	} {
		f, p := parseForm([]byte(text))
		if p != nil {
			t.Fatalf("%s: %v", text, p)
		}
		f.nest(flat)
		if got := string(f.text()); got != want.text {
			t.Errorf("%s is\n%s, want\n%s", text, got, want.text)
		}
		typed, odd := f.typed(newShape(fields))
		if string(typed) != want.typed || strings.Join(odd, " ") != want.odd {
			t.Errorf("%s is typed\n%s %v, want\n%s %s", text, typed, odd, want.typed, want.odd)
		}
	}
}

func TestFormsThatAreNone(t *testing.T) {
	deep := "a" + strings.Repeat("[b]", maxNesting+1) + "=1"
	for text, want := range map[string]string{
		"a=%zz": "escape", "a=%4": "escape", "%=1": "escape", "a=\xff": "UTF-8", "%ff=1": "UTF-8",
		strings.Repeat("a=1&", maxFields+1): "more than 1000", deep: "",
	} {
		_, p := parseForm([]byte(text))
		if got := fmt.Sprint(p); want == "" && p != nil || want != "" && !strings.Contains(got, want) {
			t.Errorf("%.20s gives %v, want %q", text, got, want)
		}
	}
	f, _ := parseForm([]byte(deep))
	if f.nest(nil); !strings.Contains(string(f.text()), `[b]":"1"`) {
		t.Errorf("a deep name stands as %s", f.text())
	}
}

// formHarness is a shop whose sender posts forms, its key at data[id].
func formHarness(t *testing.T, change func(*Definition)) (*harness, func(string) answered) {
	h := newHarness(t, func(d *Definition) {
		e, ev := &d.Endpoints[0], &d.Events[0]
		e.Media = []string{"application/x-www-form-urlencoded"}
		e.Type, e.UnknownKey = []Selector{body("/event")}, nil
		ev.Key = []Selector{{Kind: Form, Name: "data[id]"}}
		ev.Records[0].Columns = []Column{
			{Name: "n", From: body("/n"), Type: IntegerColumn}, {Name: "id", From: body("/data/id")},
		}
		if change != nil {
			change(d)
		}
	})
	return h, func(text string) answered {
		r := h.signed(text)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
		return h.do(r)
	}
}

func TestFormPayloads(t *testing.T) {
	h, send := formHarness(t, func(d *Definition) {
		d.Effects = []Effect{{Name: "ship", Always: true, HTTP: &HTTPEffect{Method: "POST", URL: []SettingPart{{Text: "https://example.com"}}}}}
		ev := &d.Events[0]
		ev.Fields = []Field{{Pointer: "", Type: ObjectField}, {Pointer: "/n", Type: NumberField}, {Pointer: "/on", Type: BooleanField}}
		ev.When = []Condition{{From: body("/on"), Values: []string{"1"}}, {From: Selector{Kind: Form, Name: "n"}, Op: In, Values: []string{"42", "x"}}}
		ev.Enums = []Enum{{Pointer: "/n", Values: []string{"42"}}}
		ev.Messages = []Message{{}, {Payload: &Payload{Object: []Member{
			{"n", Payload{Value: ref(body("/n"))}}, {"text", Payload{Value: ref(Selector{Kind: Form, Name: "n"})}},
			{"say", Payload{Text: Text{{From: ref(body("/on"))}}}}, {"data", Payload{Value: ref(body("/data"))}},
		}}}}
		ev.Redact = Redaction{Form: []string{"secret[0]"}, Pointers: []string{"/more/token"}}
		ev.KeepPayload = true
	})
	text := "event=order.paid&on=1&secret[0]=abc&secret[1]=d&data%5Bid%5D=7&more[token]=x%20y&n=42"
	h.want(send(text), Processed, 200)
	row := h.store.row("7")
	if got := row.Records[0].Columns; got[0].Int != 42 || got[1].Text != "7" {
		t.Errorf("columns are %+v", got)
	}
	if got, want := string(row.Messages[0].Payload), `{"event":"order.paid","on":true,"secret":["***","d"],"data":{"id":"7"},"more":{"token":"***"},"n":42}`; got != want {
		t.Errorf("the whole is sent as\n%s, want\n%s", got, want)
	}
	if got, want := string(row.Messages[1].Payload), `{"n":42,"text":"42","say":"1","data":{"id":"7"}}`; got != want {
		t.Errorf("payload is %s, want %s", got, want)
	}
	if got, want := string(row.Payload), "event=order.paid&on=1&secret[0]=***&secret[1]=d&data%5Bid%5D=7&more[token]=***&n=42"; got != want {
		t.Errorf("stored is\n%s, want\n%s", got, want)
	}
	if string(row.Body) != text || string(row.Document) != `{"event":"order.paid","on":true,"secret":["abc","d"],"data":{"id":"7"},"more":{"token":"x y"},"n":42}` {
		t.Errorf("the handler gets %s", row.Document)
	}
	h.want(send(strings.Replace(text, "on=1", "on=01", 1)), Conflict, 409)
	h.want(send(strings.NewReplacer("on=1", "on=01", "5D=7", "5D=8").Replace(text)), Ignored, 203)
	if got := h.counters.Deviations("/on") + h.counters.Deviations("/n"); got != 0 {
		t.Errorf("%d deviations of events that are ignored or fit", got)
	}
	h.want(send(strings.NewReplacer("n=42", "n=x", "5D=7", "5D=9").Replace(text)), Rejected, 202)
	if got := h.counters.Deviations("/n"); got != 2 { // its type, and its list of values
		t.Errorf("%d deviations are counted at /n, want 2", got)
	}
}

func TestRepeatedFieldsAreMalformedWhereSelected(t *testing.T) {
	h, send := formHarness(t, nil)
	h.want(send("event=order.paid&data[id]=7&n=1&other=1&other=2"), Processed, 200)
	for _, twice := range []string{"&event=order.paid", "&data[id]=7", "&n=1"} {
		if got := send("event=order.paid&data[id]=7&n=1" + twice); got.status != 400 {
			t.Errorf("%s is answered %d", twice, got.status)
		}
	}
	h.want(send("event=order.paid&data[id]=&n=1"), Malformed, 400)
	h.want(send("event=order.paid&n=1"), Malformed, 400)
	h.wantRows(1)
}

func TestJSONInOneField(t *testing.T) {
	h, send := formHarness(t, func(d *Definition) {
		ev := &d.Events[0]
		ev.Fields = []Field{{Pointer: "/o", Type: ObjectField}, {Pointer: "/o/n", Type: NumberField}}
		ev.Key = []Selector{body("/o/id"), body("/o/n")}
		ev.When = []Condition{{From: body("/o/n"), Values: []string{"7"}}}
		ev.Records[0].Columns = []Column{{Name: "n", From: body("/o/n"), Type: IntegerColumn}, {Name: "o", From: body("/o"), Type: JSONColumn}}
	})
	h.want(send(`event=order.paid&o={"id":"x","n":7}`), Processed, 200)
	h.want(send(`event=order.paid&o[id]=y&o[n]=7`), Processed, 200)
	h.want(send(`event=order.paid&o={"id":"x"`), Malformed, 400)
	if h.store.row("x|7") == nil || h.store.row("y|7").Records[0].Columns[0].Int != 7 {
		t.Errorf("rows are %v", h.store.rows)
	}
}

func TestFingerprintsOfForms(t *testing.T) {
	for name, m := range map[string]Members{
		"all": {}, "exclude": {Exclude: []string{"/try/*", "/at"}, ExcludeForm: []string{"send[time]"}},
		"of": {Of: []Selector{body("/data"), body("/l"), {Kind: Form, Name: "data[id]"}, {Kind: Form, Name: "n"}, {Kind: Form, Name: "event"}}},
	} {
		h, send := formHarness(t, func(d *Definition) { d.Events[0].Fingerprint = m })
		first := "event=order.paid&data[id]=7&n=1&l[]=1&l[]=2"
		h.want(send(first), Processed, 200)
		h.want(send("l%5B%5D=1&n=1&l[]=2&data[id]=7&event=order.paid"), Duplicate, 200)
		volatile := Duplicate
		if name == "all" {
			volatile = Conflict
		}
		h.want(send(first+"&try[x]=2&at=9&send[time]=4"), volatile, map[Outcome]int{Duplicate: 200, Conflict: 409}[volatile])
		h.want(send(strings.Replace(first, "l[]=1&l[]=2", "l[]=2&l[]=1", 1)), Conflict, 409)
	}
}

func multipartBytes(t *testing.T, boundary string, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.SetBoundary(boundary); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(parts); i += 2 {
		to, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {"form-data; " + parts[i]}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(to, parts[i+1])
	}
	w.Close()
	return b.String()
}

func TestMultipart(t *testing.T) {
	h, _ := formHarness(t, func(d *Definition) {
		d.Endpoints[0].Media = []string{"multipart/form-data"}
		d.Endpoints[0].Redact = Redaction{Form: []string{"token"}}
		d.Events[0].KeepPayload = true
	})
	send := func(boundary, text string) answered {
		r := h.signed(text)
		r.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
		return h.do(r)
	}
	parts := []string{`name="event"`, "order.paid", `name="data[id]"`, "7", `name=n`, "5", `name="token"`, "abc", `name="scan"; filename="a.png"`, "\xff\x00file"}
	h.want(send("one", multipartBytes(t, "one", parts...)), Processed, 200)
	h.want(send("two", multipartBytes(t, "two", parts...)), Duplicate, 200)
	if got := string(h.store.row("7").Payload); got != strings.Replace(multipartBytes(t, "one", parts...), "abc", "***", 1) {
		t.Errorf("stored is %q", got)
	}
	if got := string(h.store.row("7").Document); got != `{"event":"order.paid","data":{"id":"7"},"n":"5","token":"abc"}` {
		t.Errorf("the document is %s", got)
	}
	parts[9] = "another file"
	h.want(send("one", multipartBytes(t, "one", parts...)), Conflict, 409)
	text := multipartBytes(t, "one", `name="event"`, "order.paid", `name="data[id]"`, "8", `name=n`, "5")
	for name, bad := range map[string]string{
		"cut": text[:len(text)-8], "no name": strings.Replace(text, "; name=n", "", 1), "empty": "", "other": "event=order.paid", "bytes": strings.Replace(text, "8", "\xff", 1),
	} {
		if got := send("one", bad); got.status != 400 {
			t.Errorf("%s is answered %d", name, got.status)
		}
	}
	if got := send("", text); got.status != 400 && got.status != 415 {
		t.Errorf("without a boundary: answered %d", got.status)
	}
	h.wantRows(1)
}
