import type { IpFamily } from '@kube-rules/types'
import { describe, expect, it, type TestContext } from 'vitest'
import type { CompileResult } from '../../src/compile.js'
import type { IptablesState } from '../../src/dataplane/iptables/ast.js'
import { parseIptables } from '../../src/dataplane/iptables/parse.js'
import { type Backend, printSave } from '../../src/dataplane/iptables/print-save.js'
import { render } from '../../src/render.js'
import { iptablesTools, requireTools, runInNamespace, withoutComments } from '../support/network-namespace.js'
import { goldens, iptablesSamples, jumpText, serviceOfSize } from '../support/real-inputs.js'
import { iptablesStates } from '../support/renderings.js'

const FAMILIES: readonly IpFamily[] = ['IPv4', 'IPv6']
const BACKENDS: readonly Backend[] = ['nft', 'legacy']
const results = iptablesSamples(20)

/** `iptables-restore` is one of the two back ends, whichever the machine prefers. */
function restoreTool(family: IpFamily): string {
  return family === 'IPv4' ? 'iptables-restore' : 'ip6tables-restore'
}

function expectAccepted(context: TestContext, family: IpFamily, text: string): void {
  const tool = restoreTool(family)
  requireTools(context, [tool])
  expect(runInNamespace(`${tool} --test --noflush --counters`, text)).toEqual({ status: 0, stdout: '', stderr: '' })
}

/** Loads a text into empty tables and dumps them. */
function dumpOf(context: TestContext, family: IpFamily, backend: Backend, text: string): string {
  const tools = iptablesTools(family, backend)
  requireTools(context, [tools.restore])
  const { status, stdout, stderr } = runInNamespace(`${tools.restore} --noflush --counters; ${tools.save}`, text)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return withoutComments(stdout)
}

function parse(text: string, family: IpFamily): IptablesState {
  const parsed = parseIptables(text, family)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  return parsed.state
}

function stateOf(result: CompileResult, family: IpFamily): IptablesState {
  const state = iptablesStates(result).find((candidate) => candidate.family === family)
  if (state === undefined) throw new Error(family)
  return state
}

describe('iptables-restore --test', () => {
  it.for(goldens())('accepts fixtures/$name', ({ family, text }, context) => expectAccepted(context, family, text))

  describe.each(FAMILIES)('%s', (family) => {
    it.for(results.map((_, index) => index))('accepts the generated cluster %i', (index, context) => {
      const result = results[index]
      if (result !== undefined) expectAccepted(context, family, render(result, { family }))
    })

    it('refuses what is wrong', (context) => {
      const tool = restoreTool(family)
      requireTools(context, [tool])
      const text = '*filter\n:KUBE-SERVICES - [0:0]\n-A KUBE-SERVICES -m nonsense -j DROP\nCOMMIT\n'
      expect(runInNamespace(`${tool} --test --noflush`, text).status).not.toBe(0)
    })
  })
})

describe.each(BACKENDS)('a dump of iptables-%s', (backend) => {
  it.for(goldens())('is our save text of fixtures/$name', ({ family, text }, context) => {
    expect(dumpOf(context, family, backend, text)).toBe(printSave(parse(text, family), { backend }))
  })

  it('is our save text of 400 endpoints', (context) => {
    const result = serviceOfSize(400)
    const text = jumpText(stateOf(result, 'IPv4')) + render(result, { family: 'IPv4' })
    const saved = render(result, { family: 'IPv4', style: 'save', backend })
    expect(dumpOf(context, 'IPv4', backend, text)).toBe(saved)
  })

  describe.each(FAMILIES)('%s', (family) => {
    it.for(results.map((_, index) => index))('is our save text of the generated cluster %i', (index, context) => {
      const result = results[index]
      if (result === undefined) return
      const text = jumpText(stateOf(result, family)) + render(result, { family })
      expect(dumpOf(context, family, backend, text)).toBe(render(result, { family, style: 'save', backend }))
    })

    it('is one of its own, loaded again', (context) => {
      const saved = render(results[0] as CompileResult, { family, style: 'save', backend })
      expect(dumpOf(context, family, backend, saved)).toBe(printSave(parse(saved, family), { backend }))
    })
  })
})
