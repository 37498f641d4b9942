import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Reads the conformance cases folder by folder, each in the order of its file names. */
export function* readCases(folders) {
  for (const folder of folders) {
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
    for (const file of files.sort()) yield JSON.parse(readFileSync(join(folder, file), 'utf8'))
  }
}
