import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileInput, CompileOptions } from '../../../compiler/src/compilation/compile-result.js'
import { print } from '../../../compiler/src/print/print.js'
import { service, slice } from '../../../compiler/test/support/objects.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { diagnoseNode } from '../../src/diagnose/diagnose-node.js'
import { tryNodeSteps } from '../../src/diagnose/trial/try-node-steps.js'
import { verify } from '../../src/verify/verify.js'

// The steps of a diagnosis of a node are applied to its rules, and the node is verified again.

const INPUT: CompileInput = {
  configuration: { clusterCIDR: '10.244.0.0/16' },
  services: [service()],
  endpointSlices: [
    slice([
      { addresses: ['10.244.1.1'], nodeName: 'node-1' },
      { addresses: ['10.244.2.1'], nodeName: 'node-2' },
    ]),
  ],
  nodes: [{ metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } }],
}

function compiled(mode: CompileOptions['mode']) {
  return compile(INPUT, { nodeName: 'node-1', families: ['IPv4'], mode })
}

/** Returns the diagnoses of a node with changed rules. */
function diagnosed(mode: CompileOptions['mode'], change: (rules: string) => string) {
  const result = compiled(mode)
  const dump = readDump(change(result.families.map(({ state }) => print(state, { format: 'save' })).join('')))
  return diagnoseNode(result, dump, verify(result, dump))
}

const without = (start: RegExp) => (rules: string) =>
  rules
    .split('\n')
    .filter((line) => !start.test(line))
    .join('\n')
const withWeightZero = (rules: string) =>
  rules.replace(/^(-a -t 10\.96\.0\.1:80 -r 10\.244\.1\.1:8080 .*-w) 1$/m, '$1 0')
const withoutLoopBack = without(/^add KUBE-LOOP-BACK /)

describe('a step of a diagnosis of a node', () => {
  it('has the outcome after kube-proxy writes its rules again', () => {
    const [diagnosis] = diagnosed('iptables', without(/^-A OUTPUT .* -j KUBE-SERVICES$/))
    expect(diagnosis?.steps.map(({ change, outcome }) => [change?.kind, outcome])).toEqual([
      ['rewriteRules', 'the rules of the node match the objects'],
      ['rewriteRules', 'the rules of the node match the objects'],
      [undefined, undefined],
    ])
  })

  it('has the outcome after the weight of a real server is changed', () => {
    const [diagnosis, ...others] = diagnosed('ipvs', withWeightZero)
    expect(others).toEqual([])
    expect(diagnosis).toMatchObject({
      code: 'weightZero',
      steps: [
        {
          command: 'ipvsadm -e -t 10.96.0.1:80 -r 10.244.1.1:8080 -m -w 1',
          change: {
            kind: 'setServerWeight',
            protocol: 'TCP',
            virtualServer: '10.96.0.1:80',
            realServer: '10.244.1.1:8080',
            weight: 1,
          },
          outcome: 'the rules of the node match the objects',
        },
        { change: { kind: 'rewriteRules' }, outcome: 'the rules of the node match the objects' },
      ],
    })
  })

  it('has the outcome after an entry is added to a set', () => {
    const [diagnosis, ...others] = diagnosed('ipvs', withoutLoopBack)
    expect(others).toEqual([])
    expect(diagnosis).toMatchObject({
      code: 'missingLoopBack',
      steps: [
        {
          command: 'ipset add KUBE-LOOP-BACK 10.244.1.1,tcp:8080,10.244.1.1',
          change: { kind: 'addSetEntry', set: 'KUBE-LOOP-BACK', entry: '10.244.1.1,tcp:8080,10.244.1.1' },
          outcome: 'the rules of the node match the objects',
        },
        { change: { kind: 'rewriteRules' } },
      ],
    })
  })

  it('shows that other differences remain', () => {
    const both = (rules: string) => without(/^-a .* -r 10\.244\.2\.1:8080 /)(withWeightZero(withoutLoopBack(rules)))
    const steps = diagnosed('ipvs', both)
      .filter(({ code }) => code !== 'missingEndpoint')
      .flatMap(({ steps }) => steps)
    expect(steps.map(({ change, outcome }) => [change?.kind, outcome])).toEqual([
      ['setServerWeight', 'this problem is gone; 1 other difference remains'],
      ['rewriteRules', 'the rules of the node match the objects'],
      ['addSetEntry', 'this problem is gone; 1 other difference remains'],
      ['rewriteRules', 'the rules of the node match the objects'],
    ])
  })

  it('is left out if the problem remains', () => {
    const [diagnosis] = diagnosed('ipvs', withWeightZero)
    const [family] = compiled('ipvs').families
    if (diagnosis === undefined || family === undefined) throw new Error('there is a diagnosis')
    const examine = () => ({ diagnoses: [diagnosis], differences: 3 })
    const [tried] = tryNodeSteps([diagnosis], { mode: 'ipvs', family, live: family.state, examine })
    expect(tried?.steps).toEqual([{ text: expect.stringMatching(/^No single step has the expected outcome/) }])
    const others = () => ({ diagnoses: [{ ...diagnosis, summary: 'another one' }], differences: 3 })
    const [kept] = tryNodeSteps([diagnosis], { mode: 'ipvs', family, live: family.state, examine: others })
    expect(kept?.steps.map(({ outcome }) => outcome)).toEqual([
      'this problem is gone; 3 other differences remain',
      'this problem is gone; 3 other differences remain',
    ])
  })

  it('leaves other elements as they are', () => {
    const [diagnosis] = diagnosed('ipvs', withWeightZero)
    const [family] = compiled('ipvs').families
    if (diagnosis === undefined || family === undefined) throw new Error('there is a diagnosis')
    const [step] = diagnosis.steps
    const changes = [
      {
        kind: 'setServerWeight',
        protocol: 'UDP',
        virtualServer: '10.96.0.1:80',
        realServer: '10.244.1.1:8080',
        weight: 7,
      },
      {
        kind: 'setServerWeight',
        protocol: 'TCP',
        virtualServer: '10.96.0.1:80',
        realServer: '10.244.1.9:8080',
        weight: 7,
      },
      { kind: 'addSetEntry', set: 'KUBE-OTHER', entry: '10.0.0.1' },
      { kind: 'addSetEntry', set: 'KUBE-LOOP-BACK', entry: '10.244.1.1,tcp:8080,10.244.1.1' },
    ] as const
    const seen: unknown[] = []
    const examine = (state: typeof family.state) => {
      seen.push(state)
      return { diagnoses: [], differences: 0 }
    }
    const steps = changes.map((change) => ({ ...step, text: '', change }))
    tryNodeSteps([{ ...diagnosis, steps }], { mode: 'ipvs', family, live: family.state, examine })
    expect(seen).toEqual([family.state])
  })
})
