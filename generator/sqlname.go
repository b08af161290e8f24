package generator

import (
	"strings"
)

// maxIdent is PostgreSQL's limit for names, in bytes; longer ones it cuts off
// silently, and then two can be one.
const maxIdent = 63

// shorten keeps a name inside maxIdent, by a hash of the whole at its end.
func shorten(name string) string {
	if len(name) <= maxIdent {
		return name
	}
	end := "_" + strings.ToLower(hash4(name)+hash4(name+"'"))
	return strings.TrimRight(name[:maxIdent-len(end)], "_") + end
}

// ident quotes a name that an engine would take for a word of its own. One list
// for all engines: a contract can move from one to another.
func ident(name string) string {
	if reservedSQL[name] {
		return `"` + name + `"`
	}
	return name
}

// reservedSQL holds the words that cannot stand bare as a column or table name
// in PostgreSQL or SQLite, and those that sqlc's parsers stumble over.
var reservedSQL = wordSet(`
abort action add after all alter always analyse analyze and any array as asc asymmetric attach
authorization autoincrement before begin between bigint binary bit boolean both by cascade case cast
char character check coalesce collate collation column columns commit concurrently conflict constraint
create cross current current_catalog current_date current_role current_schema current_time
current_timestamp current_user database date dec decimal default deferrable deferred delete desc detach
distinct do drop each else end escape except exclude exclusive exists explain extract fail false fetch
filter first float following for foreign freeze from full generated glob global grant greatest group
grouping groups having if ignore ilike immediate in index indexed initially inner inout insert instead
int integer intersect interval into is isnull join json_array json_arrayagg json_object json_objectagg
key keys last lateral leading least left like limit local localtime localtimestamp match materialized
merge_action national natural nchar no none normalize not nothing notnull null nullif nulls numeric of
offset on only or order others out outer over overlaps overlay partition placing plan position pragma
preceding precision primary procedure public query raise range rank read real recursive references regexp
reindex release rename replace restrict returning right rollback row rows savepoint schema select
session_user set setof similar smallint some substring symmetric system_user table tables tablesample
temp temporary text then ties time timestamp to trailing transaction treat trigger trim true type
unbounded union unique update user using vacuum values varchar variadic verbose view virtual when where
window with within without xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse
xmlpi xmlroot xmlserialize xmltable
`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}
