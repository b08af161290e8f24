package storage

import "testing"

func TestControls(t *testing.T) {
	for text, want := range map[string]bool{
		"ROLLBACK":   true,
		" commit ; ": true,
		"-- done\n/* a /* nested */ one */ Begin":                true,
		"INSERT INTO a VALUES ('x'); COMMIT":                     true,
		"INSERT INTO a VALUES ('it''s; COMMIT')":                 false,
		`UPDATE "a;COMMIT" SET b = $1; abort`:                    true,
		"SELECT $q$; ROLLBACK; $q$, $1; SELECT 2":                false,
		"ROLLBACK TO SAVEPOINT mine":                             false,
		"rollback transaction to mine":                           false,
		"ROLLBACK WORK":                                          true,
		"SAVEPOINT mine":                                         false,
		"RELEASE SAVEPOINT mine":                                 false,
		"START TRANSACTION READ ONLY":                            true,
		"END":                                                    true,
		"PREPARE TRANSACTION 'x'":                                true,
		"PREPARE s AS SELECT 1":                                  false,
		"CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END": false,
		"SELECT a[1]; END":                                       true,
		"SELECT [a;END] FROM b":                                  false,
		"WITH c AS (SELECT 1) SELECT * FROM c":                   false,
		"":                                                       false,
		";;":                                                     false,
		"'":                                                      false,
		"/*":                                                     false,
	} {
		if got := Controls(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
