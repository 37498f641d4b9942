import { readdirSync, readFileSync } from 'node:fs'
import { IP_FAMILIES } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { presentSubsystemsOf } from '../../../compiler/src/dataplane/node-state.js'
import { print } from '../../../compiler/src/print/print.js'
import { parseDump } from '../../src/dump/parse-dump.js'
import { traceAllFrontends } from '../../src/explain/explain.js'
import { annotateOwners } from '../../src/verify/annotate-owners.js'
import { printReachability } from '../../src/view/print-texts.js'

const FOLDER = new URL('../pastes/', import.meta.url)

const NAMES = readdirSync(FOLDER).flatMap((file) => (file.endsWith('.txt') ? [file.slice(0, -'.txt'.length)] : []))

function readText(name: string): string {
  return readFileSync(new URL(`${name}.txt`, FOLDER), 'utf8')
}

/** Formats the result of reading a text. */
function reading(text: string): string {
  const parsed = parseDump(text, { lenient: true })
  const lines = parsed.problems.map(
    ({ code, line, column, message }) => `left out ${line}:${column} ${code}: ${message}`,
  )
  if (!parsed.ok) return [...lines, 'nothing was read', ''].join('\n')
  const notes = parsed.notes.map(({ code, line, message }) => `note ${line} ${code}: ${message}`)
  const states = IP_FAMILIES.map((family) => parsed.value[family]).filter(
    (state) => presentSubsystemsOf(state).length > 0,
  )
  const parts = states.map((state) => {
    const { family, coverage } = state
    const whole = coverage === undefined ? ['everything'] : coverage.complete
    const truncated = (coverage?.truncated ?? []).map((id) => `shown in part: ${id}`)
    const rows = printReachability(
      traceAllFrontends(annotateOwners(state), { addresses: [family === 'IPv4' ? '192.0.2.2' : '2001:db8::2'] }),
    )
    return [
      `## ${family}`,
      print(state, { format: 'save' }),
      ...whole.map((id) => `all of: ${id}`),
      ...truncated,
      rows,
    ].join('\n')
  })
  return [...lines, ...notes, ...parts].join('\n')
}

describe('excerpts from the web', () => {
  it('cover many formats', () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(40)
  })

  it.each(NAMES)('are parsed as in the recorded snapshot of %s', async (name) => {
    await expect(reading(readText(name))).toMatchFileSnapshot(new URL(`${name}.read`, FOLDER).pathname)
  })

  it.each(NAMES)('%s is parsed leniently', (name) => {
    const parsed = parseDump(readText(name), { lenient: true })
    expect(parsed.ok).toBe(true)
  })
})
