import { describe, expect, it } from 'vitest'
import type { VirtualServer } from '../../../src/dataplane/ipvs/ast.js'
import { parseServerId, resourcesOf } from '../../../src/dataplane/ipvs/resources.js'
import { toIpvsCommands } from '../../../src/dataplane/ipvs/script.js'
import type { PhasedCommand } from '../../../src/dataplane/netfilter/tool-command.js'
import { diffResources } from '../../../src/patch/diff-resources.js'
import type { Change } from '../../../src/patch/patch.js'
import { realServer, virtualServer } from './states.js'

const one = realServer('10.244.1.1', 8080)
const two = realServer('10.244.1.2', 8080)

type Options = Parameters<typeof toIpvsCommands>[1]

/** The lines of each phase that is not empty. */
function scriptBetween(before: readonly VirtualServer[], after: readonly VirtualServer[], options?: Options) {
  const { changes } = diffResources(resourcesOf({ virtualServers: before }), resourcesOf({ virtualServers: after }))
  return linesByPhase(toIpvsCommands(changes, options))
}

function linesByPhase(script: readonly PhasedCommand[]): Readonly<Record<string, readonly string[]>> {
  const phases = script.map(({ phase }) => phase)
  expect(['provide,withdraw', 'provide', 'withdraw', '']).toContain(phases.join(','))
  return Object.fromEntries(script.map(({ phase, command }) => [phase, command.input.split('\n').slice(0, -1)]))
}

describe('resourcesOf', () => {
  it('returns virtual servers and real servers with their IDs', () => {
    const server = virtualServer({
      address: 'fd00::1',
      protocol: 'UDP',
      port: 53,
      realServers: [realServer('fd01::1', 53)],
    })
    const { realServers: _, ...definition } = server
    expect([...resourcesOf({ virtualServers: [server] }).values()]).toEqual([
      { id: 'ipvs UDP [fd00::1]:53', refs: [], value: definition },
      {
        id: 'ipvs UDP [fd00::1]:53 [fd01::1]:53',
        refs: ['ipvs UDP [fd00::1]:53'],
        value: { forwarding: 'masquerade', weight: 1 },
      },
    ])
  })
})

describe('parseServerId', () => {
  it('parses the id of a real server', () => {
    expect(parseServerId('ipvs UDP [fd00::1]:53 10.0.0.1:80')).toEqual({
      virtualServer: { protocol: 'UDP', address: 'fd00::1', port: 53 },
      realServer: { address: '10.0.0.1', port: 80 },
    })
  })

  it.each(['ipvs', 'ipvs ICMP 10.0.0.1:80', 'ipvs TCP 10.0.0.1', 'ipvs TCP 10.0.0.1:80 host:80', 'ipvs TCP -A:80'])(
    'rejects %j',
    (id) => {
      expect(() => parseServerId(id)).toThrow('bug')
    },
  )
})

describe('toIpvsCommands', () => {
  it('adds a virtual server before its real servers, but deletes all these servers with one line', () => {
    const server = virtualServer({ realServers: [one, two] })
    expect(scriptBetween([], [server])).toEqual({
      provide: [
        '-A -t 10.0.0.1:80 -s rr',
        '-a -t 10.0.0.1:80 -r 10.244.1.1:8080 -m -w 1',
        '-a -t 10.0.0.1:80 -r 10.244.1.2:8080 -m -w 1',
      ],
    })
    expect(scriptBetween([server], [])).toEqual({ withdraw: ['-D -t 10.0.0.1:80'] })
  })

  it('edits an existing server with all of its options', () => {
    const before = virtualServer({ realServers: [one, two] })
    const after = virtualServer({
      scheduler: 'sh',
      flags: 0x11,
      timeout: 60,
      netmask: '255.255.255.0',
      realServers: [{ ...one, weight: 3, forwarding: 'route', options: ['-x', '100'] }, two],
    })
    expect(scriptBetween([before], [after])).toEqual({
      provide: [
        '-E -t 10.0.0.1:80 -s sh -p 60 -M 255.255.255.0 -b sh-port',
        '-e -t 10.0.0.1:80 -r 10.244.1.1:8080 -g -w 3 -x 100',
      ],
    })
  })

  it('sets weight 0 for terminating real servers and keeps their other options', () => {
    const before = virtualServer({ realServers: [{ ...one, forwarding: 'route' }, two] })
    const terminating = ['10.0.0.1:80/TCP/10.244.1.1:8080']
    expect(scriptBetween([before], [virtualServer()], { terminating })).toEqual({
      withdraw: ['-d -t 10.0.0.1:80 -r 10.244.1.2:8080', '-e -t 10.0.0.1:80 -r 10.244.1.1:8080 -g -w 0'],
    })
    expect(scriptBetween([before], [], { terminating })).toEqual({ withdraw: ['-D -t 10.0.0.1:80'] })
  })

  it('returns the command ipvsadm -R', () => {
    const { changes } = diffResources(new Map(), resourcesOf({ virtualServers: [virtualServer()] }))
    expect(toIpvsCommands(changes).map(({ command: { tool, args } }) => [tool, ...args])).toEqual([['ipvsadm', '-R']])
  })

  it('adds and edits expected servers if servers may already exist, and deletes only other servers', () => {
    const expected = virtualServer({ realServers: [one] })
    const gone = virtualServer({ port: 81, realServers: [one] })
    const changes: readonly Change[] = [
      ...[...resourcesOf({ virtualServers: [expected] }).values()].map(
        (resource) => ({ kind: 'create', resource }) as const,
      ),
      ...[...resourcesOf({ virtualServers: [virtualServer({ realServers: [two] }), gone] }).values()]
        .filter(({ id }) => id !== 'ipvs TCP 10.0.0.1:80')
        .map((resource) => ({ kind: 'delete', resource }) as const),
    ]
    const commands = toIpvsCommands(changes, { start: 'suspected' })
    expect(
      commands.map(({ phase, command }) => [phase, command.allowFailure ?? false, command.input.split('\n')]),
    ).toEqual([
      ['provide', true, ['-A -t 10.0.0.1:80 -s rr', '-a -t 10.0.0.1:80 -r 10.244.1.1:8080 -m -w 1', '']],
      ['provide', false, ['-E -t 10.0.0.1:80 -s rr', '-e -t 10.0.0.1:80 -r 10.244.1.1:8080 -m -w 1', '']],
      ['withdraw', true, ['-d -t 10.0.0.1:80 -r 10.244.1.2:8080', '-D -t 10.0.0.1:81', '']],
    ])
  })

  it('prints the address from the ID and ignores the address in the resource value', () => {
    const value = { address: '10.0.0.9\n-C', port: 80, protocol: 'TCP', scheduler: 'rr', flags: 0, timeout: 0 }
    const change: Change = { kind: 'create', resource: { id: 'ipvs TCP 10.96.0.1:80', refs: [], value } }
    expect(linesByPhase(toIpvsCommands([change]))).toEqual({ provide: ['-A -t 10.96.0.1:80 -s rr'] })
    const hostile: Change = { ...change, resource: { ...change.resource, value: { ...value, scheduler: 'rr\n-C' } } }
    expect(() => toIpvsCommands([hostile])).toThrow('bug')
  })
})
