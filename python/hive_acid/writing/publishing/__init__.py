"""How files come to where they are seen: by the rules of their storage, before a commit makes them visible."""
