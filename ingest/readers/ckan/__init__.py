"""Tables of CKAN catalogues: saved package_search replies and live portals."""
