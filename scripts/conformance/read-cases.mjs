import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** The ends of file names with one case, and with one case a line. */
const ENDINGS = ['.json', '.jsonl', '.jsonl.gz']

/** Reads the conformance cases of files and folders one by one. The cases of a folder are in the order of its paths. */
export function* readCases(paths) {
  for (const path of paths) {
    for (const file of filesOf(path)) yield* casesOf(file)
  }
}

function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path, { recursive: true }).filter((name) => ENDINGS.some((end) => name.endsWith(end)))
  return names.sort().map((name) => join(path, name))
}

function* casesOf(file) {
  const bytes = readFileSync(file)
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  if (file.endsWith('.json')) yield JSON.parse(text)
  else for (const line of text.split('\n')) if (line.trim() !== '') yield JSON.parse(line)
}
