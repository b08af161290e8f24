// Package tree writes generated files into a directory, or says what would
// change.
//
// Compare looks, Apply writes, Recover mends. Apply writes everything beside its
// place first and renames only when all of it is there, so that a full disk or a
// folder without permission leaves the old tree; a journal in the folder lets the
// next run complete, or take back, what a kill has left. A file that is not ours
// is never touched; a generated file that somebody edited is kept beside the new
// one; a migration that exists is never changed.
package tree
