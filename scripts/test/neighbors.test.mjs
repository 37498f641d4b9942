import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { NEIGHBORS } from '../../packages/analyzer/src/neighbors/neighbors.js'
import { DESCRIPTIONS } from '../neighbors/descriptions.mjs'
import { printNeighbors } from '../neighbors/print-neighbors.mjs'

describe('printNeighbors', () => {
  it('prints docs/reference/neighbors.md', () => {
    const page = readFileSync(new URL('../../docs/reference/neighbors.md', import.meta.url), 'utf8')
    expect(page).toBe(printNeighbors(NEIGHBORS))
  })

  it('prints one row per program', () => {
    const page = printNeighbors(NEIGHBORS)
    for (const { name } of NEIGHBORS) expect(page.split(`\n| ${name} | `).length, name).toBe(2)
  })

  it('has an effect and an assessment of each program', () => {
    expect(Object.keys(DESCRIPTIONS).sort()).toEqual(NEIGHBORS.map(({ name }) => name).sort())
    expect(printNeighbors(NEIGHBORS)).not.toContain('undefined')
  })

  it('escapes the cells of a table', () => {
    const signs = { chains: { nat: /^(?:A|B)$/ }, policies: ['INPUT', 'FORWARD'] }
    const given = { name: 'x', kind: 'VPN', signs, effect: 'drops', assessment: 'normal' }
    expect(printNeighbors([given], {})).toContain(
      '\n| x | chains of nat `^(?:A\\|B)$`; policy of INPUT and FORWARD | drops | normal |\n',
    )
    expect(printNeighbors([{ ...given, signs: {} }], {})).toContain('\n| x | no rules on the node | drops | normal |\n')
  })
})
