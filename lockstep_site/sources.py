"""How far a source was read: said of each source of a term, a table or the map."""

# How far a source was read, and the words for it on the page.
READ = {
    "page": "read",
    "local": "read in a copy of the repository",
    "header": "read in the header file",
    "abstract": "abstract read",
    "secondary": "not the vendor's",
    "not_opened": "not opened",
}
OPENED = ("page", "local", "header", "abstract")
