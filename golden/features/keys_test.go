// Package features_test drives one small receiver a group of features: what the
// contract says must come out of the generated code.
package features_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/whgen/whgen/golden/features/keys"
	"github.com/whgen/whgen/golden/internal/deliver"
	whrt "github.com/whgen/whgen/runtime"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// step is one delivery: body, status and answer.
type step struct {
	body   string
	status int
	answer string
}

func TestKeysAndFingerprints(t *testing.T) {
	for name, one := range map[string]struct {
		steps []step
		facts string // rows in the end
	}{
		"composite key": {[]step{
			{`{"type":"paired","shop":"a","number":12}`, 200, ""},
			{`{"type":"paired","shop":"a1","number":2}`, 200, ""},
			{`{"type":"paired","shop":"a","number":12}`, 200, "again"},
			{`{"type":"paired","shop":"a","number":"12"}`, 200, "differs"},
			{`{"type":"paired","shop":"a"}`, 400, ""},
			{`{"type":"paired","shop":"a","number":1.5}`, 400, ""},
		}, "2"},
		"derived of all but": {[]step{
			{`{"type":"hashed","n":1,"sent_at":"a"}`, 200, ""},
			{`{"sent_at":"b", "n": 1, "type":"hashed"}`, 200, "again"},
			{`{"type":"hashed","n":2,"sent_at":"a"}`, 200, ""},
		}, "2"},
		"derived of some": {[]step{
			{`{"type":"chosen","order":"o","state":"new","x":1}`, 200, ""},
			{`{"type":"chosen","order":"o","state":"new","x":2}`, 200, "again"},
			{`{"type":"chosen","order":"o","state":"old"}`, 200, ""},
			{`{"type":"chosen","order":"o"}`, 200, ""},
		}, "3"},
		"fingerprint without a member": {[]step{
			{`{"id":"1","type":"loose","a":1,"seen":1,"attempt":1}`, 200, ""},
			{`{"id":"1","type":"loose","a":1,"seen":2,"attempt":2}`, 200, "again"},
			{`{"id":"1","type":"loose","a":2,"seen":1,"attempt":1}`, 200, "differs"},
		}, "1"},
		"fingerprint of a member": {[]step{
			{`{"id":"1","type":"narrow","state":"s","a":1}`, 200, ""},
			{`{"id":"1","type":"narrow","state":"s","a":2}`, 200, "again"},
			{`{"id":"1","type":"narrow","state":"t","a":1}`, 200, "differs"},
		}, "1"},
		"pattern of types": {[]step{
			{`{"id":"1","type":"family.born"}`, 200, ""},
			{`{"id":"2","type":"family.moved.away"}`, 200, ""},
			{`{"id":"3","type":"familys"}`, 202, "ignored"},
		}, "2"},
		"conditions": {[]step{
			{`{"id":"1","type":"paid","state":"paid","currency":"EUR","total":100}`, 200, ""},
			{`{"id":"2","type":"paid","state":"paid","currency":"GBP","total":1}`, 202, "ignored"},
			{`{"id":"3","type":"paid","state":"open","currency":"EUR","total":1}`, 202, "ignored"},
			{`{"id":"4","type":"paid","state":"paid","currency":"EUR"}`, 202, "ignored"},
			{`{"id":"5","type":"paid","state":"paid","currency":"USD","total":7}`, 200, ""},
		}, "2"},
		"several types in one entry": {[]step{
			{`{"id":"1","type":"cat.fed","cat":"Minka"}`, 200, ""},
			{`{"id":"2","type":"dog.fed","dog":"Rex","good":true}`, 200, ""},
			{`{"id":"3","type":"dog.fed","dog":"Rex","good":"true"}`, 202, "ignored"},
			{`{"id":"4","type":"cat.fed"}`, 400, ""},
		}, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			db := deliver.SQLite(t)
			must(t, keys.Migrate(t.Context(), db))
			r, err := keys.New(t.Context(), keys.Config{DB: db, Secrets: whrt.SecretsMap(map[string]string{"KEYS_SECRET": deliver.Secret})})
			must(t, err)
			for _, s := range one.steps {
				deliver.Want(t, r, deliver.Hex("X-Signature"), s.body, s.status, s.answer)
			}
			deliver.Value(t, db, "SELECT count(*) FROM facts", one.facts)
			switch name {
			case "conditions":
				deliver.Value(t, db, "SELECT count(*) || ' ' || max(total) FROM big", "1 100")
			case "several types in one entry":
				deliver.Value(t, db, "SELECT (SELECT name FROM cats) || ' ' || (SELECT name FROM dogs)", "Minka Rex")
			}
		})
	}
}

func TestKeyInAHeader(t *testing.T) {
	db := deliver.SQLite(t)
	must(t, keys.Migrate(t.Context(), db))
	r, err := keys.New(t.Context(), keys.Config{DB: db, Secrets: whrt.SecretsMap(map[string]string{"KEYS_SECRET": deliver.Secret})})
	must(t, err)
	const body = `{"type":"headed"}`
	send := func(status int, answer string, ids ...string) {
		t.Helper()
		q := deliver.Request(body)
		deliver.Hex("X-Signature")(q, body)
		q.Header["X-Delivery"] = ids
		deliver.WantOf(t, r, q, status, answer)
	}
	send(200, "", "one")
	send(200, "again", "one")
	send(200, "", "two") // event.replay: process
	send(http.StatusBadRequest, "")
	send(http.StatusBadRequest, "", "one", "two")
	send(http.StatusBadRequest, "", strings.Repeat("x", 513))
	deliver.Value(t, db, "SELECT count(*) FROM facts", "2")
}
