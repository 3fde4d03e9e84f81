"""JavaScript by its syntax tree: ES2020 and later, scripts, CommonJS and ES modules alike."""
