package conformance

var secrets = []caseOf{}
var habits = []caseOf{}
var outsides = []caseOf{}
var locks = []caseOf{}
