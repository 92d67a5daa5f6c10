"""Lets the pages lie beside mkdocs.yml, which MkDocs refuses lest a site be built into its own sources."""

from mkdocs.config.config_options import DocsDir

DocsDir.post_validation = lambda self, config, key_name: None
