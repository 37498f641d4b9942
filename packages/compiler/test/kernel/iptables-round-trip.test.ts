import type { IpFamily } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import { printListing } from '../../src/dataplane/iptables/print/print-listing.js'
import { printSave } from '../../src/dataplane/iptables/print/print-save.js'
import type { IptablesBackend } from '../../src/dataplane/tool-options.js'
import { versionsOf } from '../../src/model/configuration/versions.js'
import { printFamily } from '../support/print-family.js'
import { sameState } from '../support/same-state.js'
import { serviceOfSize } from '../support/service-of-size.js'
import {
  iptablesGoldens,
  iptablesSamples,
  jumpText,
  kubeletText,
  parsed,
  tablesOf,
  userspaceSamples,
  withoutKubelet,
} from './real-inputs.js'
import { inFreshNamespace, type Sandbox, succeeded } from './sandbox/sandbox.js'
import { BACKENDS, FAMILIES, iptablesTools, withoutComments } from './sandbox/tools.js'
import { useSandbox } from './sandbox/use-sandbox.js'

const results = [...iptablesSamples(24, versionsOf('iptables')), ...userspaceSamples(12)]
const goldens = iptablesGoldens()

/** Loads a text into empty tables and dumps them. */
async function dumpOf(sandbox: Sandbox, family: IpFamily, backend: IptablesBackend, text: string): Promise<string> {
  const { restore, save } = iptablesTools(family, backend)
  const ran = await inFreshNamespace(sandbox, `${restore} --noflush --counters; ${save}`, text)
  succeeded(ran)
  return withoutComments(ran.stdout)
}

describe.each(BACKENDS)('the dump of iptables-%s', (backend) => {
  const sandboxFor = useSandbox([`iptables-${backend}`])

  it.for(goldens)('equals the save format of fixtures/$name', async ({ family, restore, save }, context) => {
    const sandbox = await sandboxFor(context)
    const expected = parsed(save, family)
    const dump = await dumpOf(sandbox, family, backend, jumpText(expected) + restore)
    expect(dump).toBe(backend === 'nft' ? save : printSave(expected, { backend }))
  })

  it.for(goldens)('equals the listing of fixtures/$name', async ({ family, restore, save }, context) => {
    const sandbox = await sandboxFor(context)
    const expected = parsed(save, family)
    const { command, restore: tool } = iptablesTools(family, backend)
    const { stdout: version } = await sandbox.run([command, '-V'])
    const protocolNumbers = /v1\.8\.(?:8|9|10) /.test(version)
    for (const listing of [{ protocolNumbers }, { verbose: true, lineNumbers: true, protocolNumbers }]) {
      const text = printListing(expected, listing)
      const lists = [...text.matchAll(/^# (?:ip6?tables)( .*)$/gm)].map(
        ([heading, args]) => `echo '${heading}'; ${command}${args}`,
      )
      const script = `${tool} --noflush --counters; ${lists.join('; ')}`
      const ran = await inFreshNamespace(sandbox, script, jumpText(expected) + restore)
      succeeded(ran)
      expect(ran.stdout).toBe(text)
    }
  })

  it('equals the printed save format for 400 endpoints', async (context) => {
    const isTooLarge = backend === 'nft' && process.getuid?.() !== 0
    context.skip(isTooLarge, 'the kernel takes messages of this size from root alone')
    const sandbox = await sandboxFor(context)
    const result = serviceOfSize(400)
    const text = jumpText(tablesOf(result, 'IPv4')) + printFamily(result, { family: 'IPv4' })
    const saved = printFamily(result, { family: 'IPv4', format: 'save', backend })
    expect(await dumpOf(sandbox, 'IPv4', backend, text)).toBe(saved)
  })

  it('has no rules after a rejected input', async (context) => {
    const sandbox = await sandboxFor(context)
    const { restore, save } = iptablesTools('IPv4', backend)
    const text = '*filter\n:KUBE-SERVICES - [0:0]\n-A KUBE-SERVICES -m nonsense -j DROP\nCOMMIT\n'
    const { stdout } = await inFreshNamespace(sandbox, `! ${restore} --noflush 2> /dev/null; ${save}`, text)
    expect(stdout).not.toContain('KUBE')
  })

  describe.each(FAMILIES)('for %s', (family) => {
    const compiled = results.filter(({ families }) => families.some((each) => each.family === family))

    it.for(compiled.map(({ mode, kubernetesVersion }, index) => ({ index, mode, kubernetesVersion })))(
      'is the same as the state and its printed save format for cluster $index of $kubernetesVersion in mode $mode',
      async ({ index }, context) => {
        const sandbox = await sandboxFor(context)
        const result = compiled[index] as CompileResult
        const state = tablesOf(result, family)
        const text = kubeletText(state) + jumpText(state) + printFamily(result, { family })
        const dump = withoutKubelet(await dumpOf(sandbox, family, backend, text), state)
        expect(dump).toBe(printFamily(result, { family, format: 'save', backend }))
        expect(sameState(parsed(dump, family), state)).toBe(true)
      },
    )

    it('stays the same after a reload', async (context) => {
      const sandbox = await sandboxFor(context)
      const saved = printFamily(compiled.at(-1) as CompileResult, { family, format: 'save', backend })
      const dump = await dumpOf(sandbox, family, backend, saved)
      expect(dump).toBe(printSave(parsed(saved, family), { backend }))
    })
  })
})

it('the fixtures cover both families', () => {
  expect(new Set(goldens.map(({ family }) => family)).size).toBe(2)
})
