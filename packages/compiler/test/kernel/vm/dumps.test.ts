import { describe, expect, it, vi } from 'vitest'
import { parseIpvs } from '../../../../analyzer/src/dataplane/ipvs/parse.js'
import type { CompileResult } from '../../../src/compilation/compile-result.js'
import { canonicalize } from '../../../src/dataplane/ipvs/canonical.js'
import { printFamily } from '../../support/print-family.js'
import { checkHistory } from '../diffs.js'
import { generatedHistories } from '../histories.js'
import { loadWhole, prepareMachine, scopeOf } from '../machine.js'
import { ipvsSamples } from '../real-inputs.js'
import { inNewNamespace } from '../sandbox/sandbox.js'
import { BACKENDS, FAMILIES, iptablesTools, withoutComments, withoutMadeUp } from '../sandbox/tools.js'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { openVirtualMachine } from './vm.js'

// The first test downloads packages and boots the machine, which may take half an hour if it is slow.
vi.setConfig({ testTimeout: 2_400_000 })

const KERNEL = { hasIpvs: true }
const samples = ipvsSamples(8)
const histories = generatedHistories(20).filter(({ results }) => results.some(({ mode }) => mode === 'ipvs'))
const sandboxFor = useSandbox(['virtual-machine'], undefined, openVirtualMachine)

describe('the dumps of ipset, iptables and ipvsadm', () => {
  it.for(samples.map((_, index) => index))(
    'are the same as the printed save formats for generated cluster %i',
    async (index, context) => {
      const sandbox = await sandboxFor(context)
      const backend = BACKENDS[index % 2] ?? 'nft'
      const sample = samples[index] as CompileResult
      for (const family of FAMILIES) {
        const result = { ...sample, families: sample.families.filter((each) => each.family === family) }
        await inNewNamespace(sandbox, async (run) => {
          await prepareMachine(run, scopeOf([result], KERNEL))
          await loadWhole(run, result, KERNEL, backend)
          const stdoutOf = async (...command: readonly string[]) => (await run(command)).stdout
          const sets = await stdoutOf('ipset', '-sorted', 'save')
          expect(withoutMadeUp(sets)).toBe(printFamily(result, { family, subsystem: 'ipset', format: 'save' }))
          const tables = await stdoutOf(iptablesTools(family, backend).save)
          expect(withoutComments(tables)).toBe(
            printFamily(result, { family, subsystem: 'iptables', format: 'save', backend }),
          )
          const servers = await stdoutOf('ipvsadm', '-Sn')
          expect(sortedLines(servers)).toEqual(
            sortedLines(printFamily(result, { family, subsystem: 'ipvs', format: 'save' })),
          )
          const read = parseIpvs(servers)
          const state = result.families[0]?.state.ipvs
          expect(read).toEqual({ ok: true, value: expect.anything() })
          if (read.ok && state !== undefined) expect(canonicalize(read.value)).toEqual(canonicalize(state))
        })
      }
    },
  )
})

describe('a virtual machine with IPVS', () => {
  it.for(histories.slice(0, 2))(
    'applies each diff of $name with the same result as a full load',
    async (history, context) => {
      await checkHistory(await sandboxFor(context), history, KERNEL, 'nft')
    },
  )
})

function sortedLines(text: string): readonly string[] {
  return text.split('\n').sort()
}
