import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { print } from '../../../compiler/src/print/print.js'
import { cases, optionsOfMode, understoodCluster } from '../../../compiler/test/support/clusters.js'
import { fewRuns } from '../../../compiler/test/support/runs.js'
import { parseDump } from '../../src/dump/parse-dump.js'

const styles = fc.record({ lineNumbers: fc.boolean(), names: fc.boolean(), protocolNumbers: fc.boolean() })

describe.each(['iptables', 'ipvs', 'userspace'] as const)('a listing of %s mode', (mode) => {
  it('is parsed as the printed state', () => {
    let lines = 0
    fc.assert(
      fc.property(cases, styles, (given, style) => {
        const options = optionsOfMode(given.options, mode)
        const { families } = compile(understoodCluster(given.cluster, options), options)
        for (const { state } of families) {
          const listing = { verbose: true, ...style }
          const text = print(state, { subsystem: 'iptables', format: 'listing', listing })
          const read = parseDump(text, { lenient: true })
          if (!read.ok) throw new Error(text)
          const saved = { subsystem: 'iptables', format: 'save' } as const
          expect(print(read.value[state.family], saved)).toBe(print(state, saved))
          lines += text.split('\n').length
        }
      }),
      { numRuns: fewRuns(60) },
    )
    expect(lines).toBeGreaterThan(200)
  })
})
