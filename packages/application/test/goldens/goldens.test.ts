import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { prove } from '../../../analyzer/src/prove/prove.js'
import { goldensOf } from './golden-matrix.js'

// `pnpm goldens` writes the files instead of comparing them, and proves the rules of all versions instead of the newest.
const { KUBE_RULES_GOLDENS: request } = process.env
const MATRIX = fileURLToPath(new URL('../../../../fixtures/matrix/', import.meta.url))
const clusters = readdirSync(MATRIX, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
)

describe('fixtures/matrix', () => {
  it.each(clusters)(
    '%s contains a file for each expected text, and the rules are proven against the plan',
    (cluster) => {
      const folder = `${MATRIX}${cluster}/`
      const { files, results, newest } = goldensOf(`${folder}cluster.yaml`)
      const existing = readdirSync(folder).filter((name) => name !== 'cluster.yaml')
      if (request === 'write') {
        for (const name of existing) rmSync(folder + name)
        for (const [name, text] of files) writeFileSync(folder + name, text)
      }
      const read = new Map(
        readdirSync(folder).flatMap((name) =>
          files.has(name) ? [[name, readFileSync(folder + name, 'utf8')] as const] : [],
        ),
      )
      expect(readdirSync(folder).sort()).toEqual(['cluster.yaml', ...files.keys()].sort())
      for (const [name, text] of files) expect(read.get(name), name).toBe(text)
      const proven = request === undefined ? newest : results
      expect(proven.flatMap((result) => prove(result)).filter(({ verdict }) => verdict === 'refuted')).toEqual([])
    },
  )
})
