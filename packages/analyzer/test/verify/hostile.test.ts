import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { at, service, slice } from '../../../compiler/test/support/objects.js'
import { printFamily } from '../../../compiler/test/support/print-family.js'
import { CORPUS_DUMPS } from '../../../compiler/test/support/read-dump.js'
import { runs } from '../../../compiler/test/support/runs.js'
import { parseDump } from '../../src/dump/parse-dump.js'
import { verify } from '../../src/verify/verify.js'

const input = { services: [service()], endpointSlices: [slice(at('10.244.1.1', '10.244.1.2'))] }
const iptables = compile(input, { nodeName: 'node-1', families: ['IPv4'] })
const ipvs = compile(input, { nodeName: 'node-1', families: ['IPv4'], mode: 'ipvs' })

const dumps = [
  printFamily(iptables, { family: 'IPv4', format: 'save' }),
  printFamily(ipvs, { family: 'IPv4', format: 'save' }),
  ...CORPUS_DUMPS.values(),
]

const mutated = fc
  .tuple(
    fc.constantFrom(...dumps),
    fc.array(
      fc.record({
        at: fc.nat(100_000),
        drop: fc.nat(6),
        insert: fc.oneof(
          fc.string({ maxLength: 4 }),
          fc.constantFrom('"', '""', ' -j ', '\nadd KUBE-CLUSTER-IP x', ' ! ', 'é'),
        ),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([dump, edits]) =>
    edits.reduce((text, { at: place, drop, insert }) => {
      const from = place % text.length
      return text.slice(0, from) + insert + text.slice(from + drop)
    }, dump),
  )

describe('a hostile dump', () => {
  it('is rejected, or every drift item has a location and every repair a command', () => {
    fc.assert(
      fc.property(mutated, (text) => {
        const dump = parseDump(text)
        if (!dump.ok) return
        for (const result of [iptables, ipvs]) {
          for (const { drift, repair } of verify(result, dump.value).families) {
            for (const group of drift) for (const { location } of group.drift) expect(location).not.toBe('')
            expect(repair.length > 0).toBe(repair.some(({ input: lines, args }) => lines !== '' || args.length > 0))
          }
        }
      }),
      { numRuns: runs(300) },
    )
  })
})
