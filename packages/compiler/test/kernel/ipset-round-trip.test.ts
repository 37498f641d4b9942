import type { IpFamily } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { parseIpset } from '../../../analyzer/src/dataplane/ipset/parse.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import { printSave } from '../../src/dataplane/ipset/print.js'
import { versionsOf } from '../../src/model/configuration/versions.js'
import { iptablesStates } from '../support/compiled.js'
import { printFamily } from '../support/print-family.js'
import { sameState } from '../support/same-state.js'
import {
  hasIpvsMatch,
  ipsetGoldens,
  ipvsOfSize,
  ipvsSamples,
  jumpText,
  kubeletText,
  parsed,
  withoutKubelet,
} from './real-inputs.js'
import { inFreshNamespace, type Sandbox, succeeded } from './sandbox/sandbox.js'
import { BACKENDS, FAMILIES, iptablesTools, withoutComments, withoutMadeUp } from './sandbox/tools.js'
import { useSandbox } from './sandbox/use-sandbox.js'

const results = ipvsSamples(72, versionsOf('ipvs')).filter((result) => !iptablesStates(result).some(hasIpvsMatch))
const goldens = ipsetGoldens()

/** Returns the results with the family; versions up to 1.19 compile one family. */
function casesOf(family: IpFamily) {
  return results.flatMap((result, index) =>
    result.families.some((each) => each.family === family)
      ? [{ index, kubernetesVersion: result.kubernetesVersion }]
      : [],
  )
}

/** Builds a script that restores sets from the input up to a line `# rest`. The script `rest` reads the remainder. */
function afterIpset(rest: string): string {
  return `sed -u '/^# rest$/q' > /run/sets; ipset restore -exist < /run/sets; ${rest}`
}

async function savedSets(sandbox: Sandbox, input: string): Promise<string> {
  const ran = await inFreshNamespace(sandbox, 'ipset restore -exist; ipset -sorted save', input)
  succeeded(ran)
  return withoutMadeUp(ran.stdout)
}

function linesOf(saved: string): ReadonlySet<string> {
  return new Set(
    withoutMadeUp(saved)
      .replace(/ hashsize \d+/g, '')
      .split('\n'),
  )
}

describe('the output of ipset save', () => {
  const sandboxFor = useSandbox(['ipset'])

  it.for(goldens)(
    'is the same as the printed save format for the sets of fixtures/$name',
    async ({ restore }, context) => {
      const sandbox = await sandboxFor(context)
      const read = parseIpset(restore)
      if (!read.ok) throw new Error(JSON.stringify(read.problems))
      expect(await savedSets(sandbox, restore)).toBe(printSave(read.value))
    },
  )

  it('equals the printed save format for large sets, except for order and hashsize', async (context) => {
    const sandbox = await sandboxFor(context)
    const result = ipvsOfSize(12_000)
    // Without `-sorted`, because ipset 7.17 then truncates some lines of sets of this size.
    const script = 'ipset restore -exist; ipset save'
    const ran = await inFreshNamespace(sandbox, script, printFamily(result, { family: 'IPv4', subsystem: 'ipset' }))
    succeeded(ran)
    expect(Number(/^create KUBE-CLUSTER-IP .* hashsize (\d+) /m.exec(ran.stdout)?.[1])).toBeGreaterThan(1024)
    const saved = linesOf(ran.stdout)
    const expected = linesOf(printFamily(result, { family: 'IPv4', subsystem: 'ipset', format: 'save' }))
    // Does not compare the lists with `toEqual`, because a diff of this many lines takes minutes.
    expect([...saved].filter((line) => !expected.has(line)).slice(0, 5)).toEqual([])
    expect(saved.size).toBe(expected.size)
  })

  describe.each(FAMILIES)('for %s', (family) => {
    it.for(casesOf(family))(
      'is the same as the printed save format for cluster $index of $kubernetesVersion',
      async ({ index }, context) => {
        const sandbox = await sandboxFor(context)
        const result = results[index] as CompileResult
        const saved = await savedSets(sandbox, printFamily(result, { family, subsystem: 'ipset' }))
        expect(saved).toBe(printFamily(result, { family, subsystem: 'ipset', format: 'save' }))
      },
    )
  })
})

describe.each(BACKENDS)('the output of iptables-%s-save in ipvs mode', (backend) => {
  const sandboxFor = useSandbox(['ipset', `iptables-${backend}`])

  describe.each(FAMILIES)('for %s', (family) => {
    it.for(casesOf(family))(
      'is the same as the state and its printed save format for cluster $index of $kubernetesVersion',
      async ({ index }, context) => {
        const sandbox = await sandboxFor(context)
        const result = results[index] as CompileResult
        const state = result.families.find((candidate) => candidate.family === family)?.state.iptables
        if (state === undefined) return
        const tools = iptablesTools(family, backend)
        const rules = kubeletText(state) + jumpText(state) + printFamily(result, { family, subsystem: 'iptables' })
        const input = `${printFamily(result, { family, subsystem: 'ipset' })}# rest\n${rules}`
        const ran = await inFreshNamespace(sandbox, afterIpset(`${tools.restore} --noflush; ${tools.save}`), input)
        succeeded(ran)
        const dump = withoutKubelet(withoutComments(ran.stdout), state)
        expect(dump).toBe(printFamily(result, { family, subsystem: 'iptables', format: 'save', backend }))
        expect(sameState(parsed(dump, family), state)).toBe(true)
      },
    )
  })
})

it('the kernel tests have enough fixtures and generated clusters', () => {
  expect(Math.min(goldens.length, results.length)).toBeGreaterThan(3)
})

it('the generated clusters cover every version of ipvs mode', () => {
  expect([...new Set(results.map(({ kubernetesVersion }) => kubernetesVersion))].sort()).toEqual(
    [...versionsOf('ipvs')].sort(),
  )
})
