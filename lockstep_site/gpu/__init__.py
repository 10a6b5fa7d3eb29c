"""The GPU half of the site: targets, languages, sanitizer, counters."""
