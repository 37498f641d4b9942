import { describe, expect, it } from 'vitest'
import type { IpvsState, VirtualServer, VirtualServerProtocol } from '../../../src/dataplane/ipvs/ast.js'
import {
  recheckTerminating,
  type TerminationRequest,
  type TerminationResult,
  terminateGracefully,
} from '../../../src/dataplane/ipvs/graceful-termination.js'
import { cidr } from '../../support/decisions.js'

/** Builds `10.96.0.9:80` with the real servers `IP[=WEIGHT]` at port 8080. */
const server = (
  realServers: string,
  address = '10.96.0.9',
  protocol: VirtualServerProtocol = 'TCP',
): VirtualServer => ({
  address,
  port: 80,
  protocol,
  scheduler: 'rr',
  flags: 0,
  timeout: 0,
  realServers: realServers
    .split(' ')
    .filter(Boolean)
    .map((text) => {
      const [ip = '', weight = '1'] = text.split('=')
      return { address: ip, port: 8080, forwarding: 'masquerade', weight: Number(weight) }
    }),
})

const state = (...virtualServers: readonly VirtualServer[]): IpvsState => ({ virtualServers })

const terminate = (previous: IpvsState, next: IpvsState, rest: Partial<TerminationRequest> = {}): TerminationResult =>
  terminateGracefully({ family: 'IPv4', previous, next, terminating: [], connections: () => 0, ...rest })

const changesOf = ({ changes }: TerminationResult) =>
  changes.map(({ action, realServer, key }) => `${action} ${key}${action === 'delete' ? '' : `=${realServer.weight}`}`)

const B = '10.96.0.9:80/TCP/10.244.0.2:8080'
const both = state(server('10.244.0.1 10.244.0.2'))
const one = state(server('10.244.0.1'))
const draining = state(server('10.244.0.1 10.244.0.2=0'))
const busy = { connections: () => 3 }

describe('terminateGracefully', () => {
  it('adds all expected servers to an empty state', () => {
    const termination = terminate(state(), both)
    expect(termination.state).toEqual(both)
    expect(termination.state.virtualServers[0]).toBe(both.virtualServers[0])
    expect(changesOf(termination)).toEqual(['add 10.96.0.9:80/TCP/10.244.0.1:8080=1', `add ${B}=1`])
    expect(termination).not.toHaveProperty('recheckAfterSeconds')
  })

  it('returns no changes if the state is as expected', () => {
    expect(terminate(both, both, busy)).toEqual({ state: both, changes: [], terminating: [] })
  })

  it('deletes a real server without connections immediately', () => {
    const termination = terminate(both, one)
    expect(termination.state).toEqual(one)
    expect(changesOf(termination)).toEqual([`delete ${B}`])
    expect(termination.terminating).toEqual([])
  })

  it('sets weight 0 for a real server with connections, and waits for their end', () => {
    const keys: string[] = []
    const connections = (...key: readonly string[]) => {
      keys.push(key.join(' '))
      return 1
    }
    const termination = terminate(both, one, { connections })
    expect(termination.state).toEqual(draining)
    expect(changesOf(termination)).toEqual([`update ${B}=0`])
    expect(termination).toMatchObject({ terminating: [B], recheckAfterSeconds: 60 })
    expect(keys).toEqual(['10.96.0.9:80/TCP 10.244.0.2:8080'])
  })

  it.each(['UDP', 'SCTP'] as const)('does not wait for %s connections to end', (protocol) => {
    const of = (realServers: string) => state(server(realServers, '10.96.0.9', protocol))
    const termination = terminate(of('10.244.0.1 10.244.0.2'), of('10.244.0.1'), busy)
    expect(termination.state).toEqual(of('10.244.0.1'))
    expect(changesOf(termination)).toEqual([`delete 10.96.0.9:80/${protocol}/10.244.0.2:8080`])
  })

  it.each([0, 3])('keeps a terminating real server with %i connections until the next check', (connections) => {
    const termination = terminate(draining, one, { terminating: [B], connections: () => connections })
    expect(termination).toEqual({ state: draining, changes: [], terminating: [B], recheckAfterSeconds: 60 })
  })

  it('deletes and adds again a terminating real server that is expected again', () => {
    const termination = terminate(draining, both, { terminating: [B], ...busy })
    expect(termination.state).toEqual(both)
    expect(changesOf(termination)).toEqual([`delete ${B}`, `add ${B}=1`])
    expect(termination.changes[0]?.realServer.weight).toBe(0)
    expect(termination.terminating).toEqual([])
  })

  it('keeps a weight 0 that another program has set', () => {
    expect(terminate(draining, both)).toEqual({ state: draining, changes: [], terminating: [] })
  })

  it('sets weight 1 for expected real servers on the first sync', () => {
    const termination = terminate(draining, both, { firstSync: true })
    expect(termination.state).toEqual(both)
    expect(changesOf(termination)).toEqual([`update ${B}=1`])
  })

  it('deletes a virtual server and its terminating real servers immediately', () => {
    const other = server('10.244.0.1', '10.96.0.10')
    const previous = state(...draining.virtualServers, other)
    const termination = terminate(previous, state(other), { terminating: [B], ...busy })
    expect(termination).toEqual({ state: state(other), changes: [], terminating: [] })
  })

  it('waits at one virtual server even if another virtual server still has the same real server', () => {
    const other = server('10.244.0.2', '10.96.0.90')
    const termination = terminate(state(...draining.virtualServers, other), state(...one.virtualServers, other), {
      terminating: [B],
    })
    expect(termination.terminating).toEqual([B])
    expect(termination.state).toEqual(state(...draining.virtualServers, other))
  })

  it('uses the scheduler, flags and timeout of the expected virtual server', () => {
    const changed = { ...server('10.244.0.1'), scheduler: 'wlc', flags: 1, timeout: 10 }
    expect(terminate(both, state(changed), busy).state.virtualServers).toEqual([
      { ...changed, realServers: draining.virtualServers[0]?.realServers },
    ])
  })

  it('keeps unknown lines and virtual servers in excluded networks or of the other family', () => {
    const excluded = server('10.244.0.7', '192.0.2.1')
    const foreign = { ...server('', 'fd00::1'), realServers: [] }
    const stale = server('10.244.0.8', '192.0.3.1')
    const previous = { virtualServers: [excluded, foreign, stale], unknownLines: ['-A -f 1 -s rr'] }
    const termination = terminate(previous, one, { excludeCidrs: [cidr('192.0.2.0/24')] })
    expect(termination.state).toEqual({
      virtualServers: [...one.virtualServers, excluded, foreign],
      unknownLines: ['-A -f 1 -s rr'],
    })
  })

  it('also deletes real servers of an expected virtual server in an excluded network', () => {
    const termination = terminate(both, one, { excludeCidrs: [cidr('10.96.0.0/16')] })
    expect(termination.state).toEqual(one)
  })
})

describe('terminateGracefully with the rules of older kube-proxy versions', () => {
  const held = state(server('10.244.0.1 10.244.0.2', '10.96.0.9', 'SCTP'))
  const expected = state(server('10.244.0.1', '10.96.0.9', 'SCTP'))

  it('waits for connections to end, except for protocols with immediate deletion', () => {
    const termination = terminate(held, expected, { ...busy, deletedAtOnce: ['UDP'] })
    expect(termination.terminating).toEqual(['10.96.0.9:80/SCTP/10.244.0.2:8080'])
    expect(terminate(held, expected, busy).terminating).toEqual([])
  })

  it('continues to wait when connections are checked again', () => {
    const terminating = ['10.96.0.9:80/SCTP/10.244.0.2:8080']
    expect(recheckTerminating(held, terminating, () => 1, ['UDP']).terminating).toEqual(terminating)
    expect(recheckTerminating(held, terminating, () => 1).terminating).toEqual([])
  })

  it('does not change weights on the first sync', () => {
    expect(changesOf(terminate(draining, both, { firstSync: true }))).toEqual([`update ${B}=1`])
    expect(changesOf(terminate(draining, both, { firstSync: true, weightsReset: false }))).toEqual([])
  })

  it('deletes a virtual server only if an earlier update has removed its real servers', () => {
    const emptiedFirst = { emptiedFirst: true }
    const first = terminate(one, state(), emptiedFirst)
    expect(first.state).toEqual(state(server('')))
    expect(changesOf(first)).toEqual(['delete 10.96.0.9:80/TCP/10.244.0.1:8080'])
    expect(terminate(first.state, state(), emptiedFirst).state).toEqual(state())
  })

  it('keeps a virtual server while a real server has connections', () => {
    const { state: after, terminating } = terminate(one, state(), { ...busy, emptiedFirst: true })
    expect(after).toEqual(state(server('10.244.0.1=0')))
    expect(terminate(after, state(), { ...busy, terminating, emptiedFirst: true }).state).toEqual(after)
  })

  it('removes the real servers of an excluded virtual server and keeps the virtual server', () => {
    const options = { emptiedFirst: true, excludeCidrs: [cidr('10.96.0.0/16')] }
    const { state: after } = terminate(one, state(), options)
    expect(after).toEqual(state(server('')))
    expect(terminate(after, state(), options).state).toEqual(after)
  })
})

describe('recheckTerminating', () => {
  it('deletes a real server if it has no remaining connections', () => {
    const termination = recheckTerminating(draining, [B], () => 0)
    expect(termination.state).toEqual(one)
    expect(changesOf(termination)).toEqual([`delete ${B}`])
    expect(termination.terminating).toEqual([])
    expect(termination).not.toHaveProperty('recheckAfterSeconds')
  })

  it('keeps a real server if it has remaining connections', () => {
    const termination = recheckTerminating(draining, [B], () => 1)
    expect(termination).toEqual({ state: draining, changes: [], terminating: [B], recheckAfterSeconds: 60 })
  })

  it('ignores a terminating real server that another program has deleted', () => {
    expect(recheckTerminating(one, [B], () => 1)).toEqual({ state: one, changes: [], terminating: [] })
  })

  it('does not delete real servers that are not terminating', () => {
    expect(recheckTerminating(both, [], () => 0).state).toEqual(both)
  })
})

it('terminateGracefully returns keys with brackets for IPv6 servers', () => {
  const next = { ...server(''), address: 'fd00::9', realServers: [] }
  const held = {
    ...next,
    realServers: [{ address: 'fd00::1', port: 8080, forwarding: 'masquerade', weight: 1 } as const],
  }
  const termination = terminate(state(held), state(next), { family: 'IPv6', ...busy })
  expect(termination.terminating).toEqual(['[fd00::9]:80/TCP/[fd00::1]:8080'])
})
