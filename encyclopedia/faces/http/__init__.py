"""The HTTP face: the verbs as JSON, events of a search, a SearXNG-compatible search, and the web page's addresses."""
