// Package tree writes generated files into a directory, or says what would
// change.
//
// Compare looks, Apply writes. Apply writes everything beside its place first
// and renames only when all of it is there, so that a full disk, a folder
// without permission or a killed process leaves the old tree. A file that is
// not ours is never touched; a generated file that somebody edited is kept
// beside the new one; a migration that exists is never changed.
package tree
