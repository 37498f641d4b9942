import type { Packet } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyPacket } from '../../../testing/src/arbitraries/packets.js'
import { compile } from '../../src/compilation/compile.js'
import { decide } from '../../src/plan/decide.js'
import type { Plan } from '../../src/plan/plan.js'
import { cases, optionsOfMode } from '../support/clusters.js'
import { compileCase } from '../support/compiled.js'
import { histories } from '../support/edits.js'
import { linesOf } from '../support/held-node.js'
import { mutate, mutationsOf } from '../support/mutations.js'
import { nodeHolding } from '../support/node-dump.js'
import { printedTexts } from '../support/printed-texts.js'
import { runs } from '../support/runs.js'

// Statistics of generated histories, packets and mutations: a property test proves nothing about a property that its
// inputs do not have. `clusters.test.ts` counts clusters.

function shareOf<T>(items: readonly T[], shows: (item: T) => boolean): number {
  return (100 * items.filter(shows).length) / items.length
}

describe('the generated histories', () => {
  const pairs = fc.sample(histories, { numRuns: runs(160), seed: 1 }).flatMap(({ inputs, options }) => {
    const results = inputs.map((input) => compile(input, options))
    return results.slice(1).map((after, index) => ({ before: results[index] ?? after, after }))
  })
  const texts = new Map(pairs.flatMap(({ before, after }) => [before, after]).map((each) => [each, textOf(each)]))

  function textOf(result: ReturnType<typeof compile>): string {
    return JSON.stringify([...printedTexts(result)])
  }

  it('change the rules in most steps, but not in all steps', () => {
    // In userspace mode endpoints have no effect.
    const ofRules = pairs.filter(({ after }) => after.mode !== 'userspace')
    const share = shareOf(ofRules, ({ before, after }) => texts.get(before) !== texts.get(after))
    // Older versions have one family and ignore more fields.
    expect(share).toBeGreaterThanOrEqual(75)
    expect(share).toBeLessThan(95)
  })

  it('keep, change, add and remove service ports', () => {
    const plans = ({ families }: ReturnType<typeof compile>) =>
      new Map(
        families.flatMap(({ family, plan }) =>
          plan.services.map((service) => [
            `${family} ${service.id.text} ${service.id.protocol}`,
            JSON.stringify(service),
          ]),
        ),
      )
    const planned = pairs.map(({ before, after }) => [plans(before), plans(after)] as const)
    const share = (shows: (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) => boolean) =>
      shareOf(planned, ([before, after]) => shows(before, after))
    expect(share((before, after) => [...after].some(([key, text]) => before.get(key) === text))).toBeGreaterThan(60)
    expect(share((before, after) => [...after.keys()].some((key) => !before.has(key)))).toBeGreaterThan(10)
    expect(share((before, after) => [...before.keys()].some((key) => !after.has(key)))).toBeGreaterThan(10)
    const changes =
      (before: ReadonlyMap<string, string>) =>
      ([key, text]: readonly [string, string]) =>
        before.has(key) && before.get(key) !== text
    expect(share((before, after) => [...after].some(changes(before)))).toBeGreaterThan(30)
  })

  it.each(['duplicateObject', 'missingField', 'invalidType', 'orphanSlice'])(
    'result in %s diagnostics often enough',
    (code) => {
      const reported = shareOf(pairs, ({ after }) => after.diagnostics.some((each) => each.code === code))
      expect(reported).toBeGreaterThanOrEqual(2)
    },
  )
})

describe('the generated packets', () => {
  const plans = fc
    .sample(cases, { numRuns: 100, seed: 1 })
    .flatMap((given) => compileCase(given).families.map(({ plan }) => plan))
  const packets = plans.flatMap((plan, seed) =>
    fc.sample(anyPacket(plan), { numRuns: 8, seed }).map((packet) => ({ plan, packet, ...decide(plan, packet) })),
  )
  type Sample = (typeof packets)[number]

  it.each([
    ['match a frontend', 50, ({ kind: outcome }: Sample) => outcome !== 'unmatched' && outcome !== 'healthCheck'],
    ['reach endpoints', 30, ({ kind: outcome }: Sample) => outcome === 'endpoints'],
    ['can reach one of several endpoints', 20, (each: Sample) => 'candidates' in each && each.candidates.length > 1],
    ['are masqueraded', 10, (each: Sample) => 'candidates' in each && each.candidates.some((to) => to.masquerade)],
    ['are not masqueraded', 10, (each: Sample) => 'candidates' in each && each.candidates.some((to) => !to.masquerade)],
    ['go from an endpoint to itself', 2, isHairpin],
    ['are rejected', 2, ({ kind: outcome }: Sample) => outcome === 'reject'],
    ['are dropped', 2, ({ kind: outcome }: Sample) => outcome === 'drop'],
    ['come from a disallowed source', 2, (each: Sample) => 'reason' in each && each.reason === 'sourceRange'],
    ['are health checks', 0.5, ({ kind: outcome }: Sample) => outcome === 'healthCheck'],
    ['match no frontend', 10, ({ kind: outcome }: Sample) => outcome === 'unmatched'],
  ])('%s in at least %d of 100 cases', (_, least, shows) => {
    expect(shareOf(packets, shows)).toBeGreaterThanOrEqual(least)
  })

  function isHairpin(each: { readonly packet: Packet; readonly plan: Plan } & Sample): boolean {
    return 'candidates' in each && each.candidates.some(({ endpoint }) => endpoint.ip === each.packet.source)
  }
})

describe.each(['iptables', 'ipvs'] as const)('the generated mutations in %s mode', (mode) => {
  const nodes = fc
    .sample(cases, { numRuns: 40, seed: 1 })
    .map(({ cluster, options }) => nodeHolding(compileCase({ cluster, options: optionsOfMode(options, mode) }), 'IPv4'))
  const changes = nodes.flatMap((node, seed) =>
    fc
      .sample(mutationsOf(mode), { numRuns: 5, seed })
      .map((mutation) => ({ node, mutation, mutated: mutate(node, mutation) })),
  )

  it('can usually be applied, and usually affect Service rules', () => {
    const made = changes.filter(({ mutated }) => mutated !== undefined)
    expect(shareOf(changes, ({ mutated }) => mutated !== undefined)).toBeGreaterThanOrEqual(80)
    expect(shareOf(made, ({ node, mutated }) => isOfService(node, mutated ?? node))).toBeGreaterThanOrEqual(60)
  })

  it('include each kind of mutation', () => {
    const kinds = new Set(changes.flatMap(({ mutated, mutation }) => (mutated === undefined ? [] : [mutation.kind])))
    expect(kinds.size).toBe(mode === 'ipvs' ? 15 : 6)
  })

  type Node = (typeof nodes)[number]

  function isOfService(before: Node, after: Node): boolean {
    return /KUBE-(?:SVC|SVL|EXT|FW|SEP)-|--comment \\?"?[a-z-]+\/\w|:\d+|,(?:tcp|udp|sctp):|[/](?:32|128)"/.test(
      differenceOf(before, after),
    )
  }

  function differenceOf(before: Node, after: Node): string {
    const [one, other] = [before, after].map((node) => JSON.stringify(linesOf(node), null, 1).split('\n'))
    const missing = (from: readonly string[] = [], to: readonly string[] = []) =>
      from.filter((line) => !to.includes(line))
    return [...missing(one, other), ...missing(other, one)].join('\n')
  }
})
