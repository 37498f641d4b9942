import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compile } from '../src/compile.js'
import type { Stage } from '../src/dataplane/netfilter/stage.js'
import { loaded, textsOf } from './support/iptables-states.js'
import { EMPTY_MACHINE, isThere, type Machine, runStages } from './support/machine.js'
import { at, service, slice } from './support/objects.js'
import { iptablesStates } from './support/renderings.js'

function textOf(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}

describe('docs/incremental.md', () => {
  const SERVICE = { kind: 'Service', ...service() }
  const ONE = { kind: 'EndpointSlice', ...slice(at('10.244.1.1')) }
  const TWO = { kind: 'EndpointSlice', ...slice(at('10.244.1.1', '10.244.1.2')) }

  it('holds the example', () => {
    const blocks = textOf('../../../docs/incremental.md').matchAll(/^```ts\n(.*?)^```$/gms)
    expect(Array.from(blocks, ([, text]) => text)).toEqual([textOf('docs/controller.ts')])
  })

  it('shows a controller that keeps a machine up to date, and sets it right after a failure', async () => {
    const { onEvent, sync } = await import('./docs/controller.js')
    let machine: Machine = EMPTY_MACHINE
    const run = async (stage: Stage) => {
      if (stage.args === stage.unless) return isThere(machine, stage)
      machine = runStages(machine, [stage])
      return true
    }
    const input = { configuration: { clusterCIDR: '10.244.0.0/16' }, services: [SERVICE] }
    const wanted = (...endpointSlices: readonly (typeof ONE)[]) =>
      iptablesStates(compile({ ...input, endpointSlices }, { nodeName: 'node-1' })).map((state) =>
        textsOf(loaded(state)),
      )
    const held = () => [textsOf(machine.IPv4), textsOf(machine.IPv6)]

    expect(onEvent({ type: 'ADDED', object: SERVICE })).toBe(true)
    expect(onEvent({ type: 'ADDED', object: ONE })).toBe(true)
    expect(onEvent({ type: 'ADDED', object: { kind: 'Pod' } })).toBe(false)
    expect(await sync(run)).toBe(true)
    expect(held()).toEqual(wanted(ONE))

    onEvent({ type: 'MODIFIED', object: TWO })
    expect(await sync(async () => false)).toBe(false)
    expect(held()).toEqual(wanted(ONE))
    expect(await sync(run)).toBe(true)
    expect(held()).toEqual(wanted(TWO))

    onEvent({ type: 'BOOKMARK', object: TWO })
    expect(await sync(async () => false)).toBe(true)
  })
})
