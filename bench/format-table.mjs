/** Formats rows as aligned columns. The first `texts` columns are texts, the rest are numbers. */
export function formatTable(rows, texts) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  const pad = (cell, column) => (column < texts ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))
  return rows.map((row) => row.map(pad).join('  ')).join('\n')
}
