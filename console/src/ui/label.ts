/** A name of the API as a label: `page_size` is "Page size". */
export function labelOf(name: string): string {
  const known: Record<string, string> = { html: 'HTML', css: 'CSS', pdfa: 'PDF/A', pdfua: 'PDF/UA', javascript: 'JavaScript', http: 'HTTP', einvoice: 'E-invoice', api: 'API', sas: 'SAS', id: 'ID' };
  const words = name.split('_').map((word) => known[word] ?? word).join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
