// Prints the nodes whose rules differ between two folders of `rules-of-nodes.mjs`, and by how many lines if the folders
// contain the rules: the step after all machines have finished.
//
// node changed-nodes.mjs EARLIER LATER
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Returns `{ nodeName, family, removed, added }` for each node and family with other rules, sorted by name. `removed` and
 * `added` are absent if a folder contains only the digest.
 */
export function changedNodes(earlier, later) {
  const [before, after] = [readSummaries(earlier), readSummaries(later)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => {
      const dot = name.lastIndexOf('.')
      const [older, newer] = [linesOf(earlier, name, before), linesOf(later, name, after)]
      const counts = older && newer && { removed: countMissing(older, newer), added: countMissing(newer, older) }
      return { nodeName: name.slice(0, dot), family: name.slice(dot + 1), ...counts }
    })
}

/** Returns the digests of all files, by their names. */
function readSummaries(folder) {
  const files = readdirSync(folder).filter((name) => /^summary-\d+\.json$/.test(name))
  const rows = files.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  return new Map(rows.map(({ nodeName, family, digest }) => [`${nodeName}.${family}`, digest]))
}

/** Returns the lines of the rules; none for a node that is not in the cluster, undefined if there is only a digest. */
function linesOf(folder, name, digests) {
  if (!digests.has(name)) return []
  const file = join(folder, name)
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : undefined
}

/** Counts the lines that are not in the other list, or less often. */
function countMissing(lines, others) {
  const counts = new Map()
  for (const line of others) counts.set(line, (counts.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const count = counts.get(line) ?? 0
    counts.set(line, count - 1)
    return count <= 0
  }).length
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [earlier, later] = process.argv.slice(2)
  for (const { nodeName, family, removed, added } of changedNodes(earlier, later)) {
    const counts = added === undefined ? 'other rules' : `${removed} lines removed, ${added} added`
    console.log(`${nodeName} ${family}: ${counts}`)
  }
}
