import type { EndpointSlice, HostFacts, Node, Service, ServiceSpec } from '@kube-rules/types'
import { expect, it, type TestContext } from 'vitest'
import type { CompileResult } from '../../../src/compilation/compile-result.js'
import type { ProxyMode } from '../../../src/targets/modes.js'
import { createTracker } from '../../../src/tracker/tracker.js'
import type { Tracker } from '../../../src/tracker/tracker-types.js'
import { readDump } from '../../support/read-dump.js'
import { type CommandExecutor, inNewNamespace, type Sandbox, succeeded } from '../sandbox/sandbox.js'
import { type CommandFault, carryOut, nextUpdate } from './controller.js'
import { dumpNode, dumpOfFreshLoad, linesBeside, linesWithout, type NodeKind, setUpText } from './node.js'

// Reproduces past bugs step by step on a node.

type WorldFor = (context: TestContext) => Promise<Sandbox>

type TestObject = Service | EndpointSlice

/** A node with a controller that can be restarted. */
interface Reproduction {
  readonly run: CommandExecutor
  readonly tracker: () => Tracker
  readonly restart: (objects: readonly TestObject[]) => void
  /**
   * Runs one sync, with a fault in one of its commands if `fault` is set. Returns whether the sync reported success.
   */
  readonly sync: (options?: { readonly fault?: CommandFault; readonly withDump?: boolean }) => Promise<boolean>
  /** Compares the node with a new node for `objects`; without `objects`, for the objects of the last sync. */
  readonly differences: (
    objects?: readonly TestObject[],
  ) => Promise<{ readonly missing: readonly string[]; readonly extra: readonly string[] }>
}

const EXACT = { missing: [], extra: [] }

function service(name: string, number: number, spec: ServiceSpec = {}): Service {
  const ports = [{ name: 'http', protocol: 'TCP', port: 80 }]
  return {
    kind: 'Service',
    metadata: { namespace: 'd', name },
    spec: { clusterIP: `10.96.0.${number}`, ports, ...spec },
  }
}

function slice(name: string, ...addresses: readonly string[]): EndpointSlice {
  return {
    kind: 'EndpointSlice',
    metadata: { namespace: 'd', name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: 'http', protocol: 'TCP', port: 8080 }],
    endpoints: addresses.map((address) => ({ addresses: [address], nodeName: 'node-1', conditions: { ready: true } })),
  }
}

// The address is in the source ranges of the tests. Otherwise ipvs mode would need a rule with the match `ipvs`, which
// not every kernel has.
const HOST: HostFacts = { interfaces: [{ name: 'eth0', addresses: ['192.0.2.1/24'] }] }
const NODE: Node = {
  kind: 'Node',
  metadata: { name: 'node-1' },
  status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
}

const NODE_PORT: ServiceSpec = {
  type: 'NodePort',
  ports: [{ name: 'http', protocol: 'TCP', port: 80, nodePort: 30080 }],
}

/** Defines the tests for one mode. Some of them change the mode to `otherMode`. */
export function testReproductions(sandboxFor: WorldFor, kind: NodeKind, mode: ProxyMode, otherMode: ProxyMode): void {
  const onNode = async (context: TestContext, act: (node: Reproduction) => Promise<void>) =>
    inNewNamespace(await sandboxFor(context), async (run) => {
      succeeded(await run(['sh', '-e'], setUpText(kind)))
      await act(startNode(run, kind, mode))
    })

  for (const withDump of [false, true]) {
    const path = withDump ? 'with a dump' : 'without a dump'

    it(`has no rules for a removed endpoint after a restart ${path}`, (context) =>
      onNode(context, async ({ restart, sync, tracker, differences }) => {
        restart([service('web', 10), slice('web', '10.1.0.1')])
        expect(await sync()).toBe(true)
        restart([service('web', 10), slice('web')])
        expect(await sync({ withDump })).toBe(true)
        tracker().upsert(slice('web', '10.9.9.9'))
        expect(await sync()).toBe(true)
        const { missing, extra } = await differences()
        expect(missing).toEqual([])
        if (withDump || mode !== 'iptables') expect(extra).toEqual([])
        // No rule may still lead to the earlier endpoint; only its own chain may remain.
        const destinations = /10\.1\.0\.1/
        expect(extra.filter((line) => destinations.test(line) && !/KUBE-SEP-/.test(line))).toEqual([])
      }))

    it(`can be updated after the repair of a failure ${path}`, (context) =>
      onNode(context, async ({ restart, sync, tracker, differences }) => {
        const slices = [slice('web', '10.1.0.1', '10.1.0.2'), slice('other', '10.1.0.3')]
        restart([service('web', 10, NODE_PORT), service('other', 11), ...slices])
        expect(await sync()).toBe(true)
        tracker().upsert(service('web', 10))
        tracker().markFailed()
        expect(await sync({ withDump })).toBe(true)
        tracker().delete(service('web', 10))
        tracker().upsert(slice('other', '10.1.0.4'))
        expect(await sync()).toBe(true)
        if (withDump || mode !== 'iptables') expect(await differences()).toEqual(EXACT)
        tracker().markFailed()
        expect(await sync({ withDump: true })).toBe(true)
        expect(await differences()).toEqual(EXACT)
      }))

    it(`has unexpected rules removed by the sync after markFailed ${path}`, (context) =>
      onNode(context, async ({ restart, sync, tracker, differences }) => {
        const balanced: ServiceSpec = {
          ...NODE_PORT,
          type: 'LoadBalancer',
          loadBalancerSourceRanges: ['192.0.2.0/24', '198.51.100.0/24'],
        }
        const status = { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } }
        const web = (ranges: readonly string[]): Service => ({
          ...service('web', 10, { ...balanced, loadBalancerSourceRanges: ranges }),
          status,
        })
        restart([web(['192.0.2.0/24', '198.51.100.0/24']), slice('web', '10.1.0.1', '10.1.0.2'), service('gone', 12)])
        expect(await sync()).toBe(true)
        tracker().markFailed()
        tracker().upsert(web(['192.0.2.0/24']))
        tracker().upsert(slice('web', '10.1.0.1'))
        tracker().delete(service('gone', 12))
        expect(await sync({ withDump })).toBe(true)
        const { missing, extra } = await differences()
        expect(missing).toEqual([])
        expect(extra.filter((line) => line.includes('198.51.100.0/24') && !isUnreachable(line))).toEqual([])
        if (withDump || mode !== 'iptables') expect(extra).toEqual([])
      }))

    // Each command of the change fails once.
    it(`has no rules of the earlier mode after an interrupted change of ${path} mode`, (context) =>
      onNode(context, async ({ restart, sync, tracker, differences }) => {
        restart([service('web', 10, NODE_PORT), slice('web', '10.1.0.1')])
        expect(await sync()).toBe(true)
        for (const [at, to] of [otherMode, mode, otherMode, mode].entries()) {
          tracker().upsert({ kind: 'KubeProxyConfiguration', mode: to } as never)
          expect(await sync({ fault: { kind: at % 2 === 0 ? 'fails before' : 'killed', at: at >> 1 } })).toBe(false)
          expect(await sync({ withDump })).toBe(true)
          expect(await differences()).toEqual(EXACT)
        }
      }))
  }

  it('is updated if the caller has changed an object in place', (context) =>
    onNode(context, async ({ restart, sync, tracker, differences }) => {
      const changed = slice('web', '10.1.0.1')
      restart([service('web', 10), changed])
      expect(await sync()).toBe(true)
      Object.assign(changed, { endpoints: slice('web', '10.9.9.9').endpoints })
      tracker().apply({ type: 'MODIFIED', object: changed })
      expect(await sync()).toBe(true)
      expect(await differences([service('web', 10), slice('web', '10.9.9.9')])).toEqual(EXACT)
    }))
}

/** Reports whether the rule is in a chain of a service port. No rule jumps to such a chain if it is a leftover. */
function isUnreachable(line: string): boolean {
  return /-A KUBE-(?:SVC|SVL|SEP|EXT|FW)-/.test(line)
}

function startNode(run: CommandExecutor, kind: NodeKind, mode: ProxyMode): Reproduction {
  const trackerOf = (objects: readonly TestObject[]) => {
    const tracker = createTracker({ nodeName: 'node-1', families: ['IPv4'], configuration: { mode }, host: HOST })
    tracker.upsert(NODE)
    for (const object of objects) tracker.upsert(object)
    return tracker
  }
  let tracker = trackerOf([])
  let held: CompileResult | undefined
  return {
    run,
    tracker: () => tracker,
    restart: (objects) => {
      tracker = trackerOf(objects)
    },
    sync: async ({ fault, withDump = false } = {}) => {
      const dump = withDump ? readDump((await dumpNode(run, kind)).text) : undefined
      const { commands, result } = nextUpdate(tracker, kind.backend, dump)
      held = result
      const { applied, injected, stderr } = await carryOut(run, commands, kind, fault)
      if (!applied.ok) {
        tracker.markFailed()
        if (!injected) throw new Error(`${applied.failed.purpose}: ${stderr}`)
      }
      return applied.ok
    },
    differences: async (objects) => {
      const expected = objects === undefined ? held : trackerOf(objects).sync().result
      if (expected === undefined) throw new Error('no sync')
      const [{ parts }, fresh] = await Promise.all([dumpNode(run, kind), dumpOfFreshLoad(run, expected, kind)])
      return { missing: linesWithout(fresh, parts), extra: linesBeside(parts, fresh) }
    },
  }
}
