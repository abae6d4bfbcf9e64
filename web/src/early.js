// Runs before anything is painted, so that a chosen theme is there from the
// first frame on. A module would run too late, and the page's policy lets no
// script run that is written into the page.
try {
  const theme = localStorage.getItem('library.theme');
  if (theme === 'dark' || theme === 'light') {
    document.documentElement.dataset.theme = theme;
    document.querySelector('meta[name=color-scheme]').content = theme; // until the styles are there
  }
} catch {
  // No storage is allowed here, so nothing was chosen.
}
