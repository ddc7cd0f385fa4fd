"""The composition root: settings, routes, pages and the command line."""
