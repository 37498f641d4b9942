import { describe, expect, it } from 'vitest'
import type { IpvsState, RealServer, VirtualServer } from '../../../../compiler/src/dataplane/ipvs/ast.js'
import { realServer, virtualServer } from '../../../../compiler/test/dataplane/ipvs/states.js'
import { parseIpvs } from '../../../src/dataplane/ipvs/parse.js'

function read(text: string): IpvsState {
  const result = parseIpvs(text)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.value
}

describe('the output of ipvsadm -Sn', () => {
  it('is parsed with its real servers', () => {
    const text = `-A -t 10.96.0.10:80 -s rr
-a -t 10.96.0.10:80 -r 10.244.1.11:8080 -m -w 1
-a -t 10.96.0.10:80 -r 10.244.1.12:8080 -m -w 0
-A --sctp-service [fd00:10:96::10]:3868 -s mh -p 10800 -b mh-port
-a --sctp-service [fd00:10:96::10]:3868 -r [fd00:10:244:1::11]:3868 -m -w 1
`
    expect(read(text)).toStrictEqual({
      virtualServers: [
        virtualServer({
          address: '10.96.0.10',
          realServers: [realServer('10.244.1.11', 8080), realServer('10.244.1.12', 8080, { weight: 0 })],
        }),
        virtualServer({
          address: 'fd00:10:96::10',
          port: 3868,
          protocol: 'SCTP',
          scheduler: 'mh',
          flags: 0x11,
          timeout: 10800,
          realServers: [realServer('fd00:10:244:1::11', 3868)],
        }),
      ],
    })
  })

  it('may be empty', () => {
    expect(read('')).toStrictEqual({ virtualServers: [] })
  })
})

describe('a virtual server', () => {
  it.each<[string, Partial<VirtualServer>]>([
    ['-A -t 10.0.0.1:80', { scheduler: 'wlc' }],
    ['--add-service --tcp-service 10.0.0.1:80 --scheduler wlc', { scheduler: 'wlc' }],
    ['-A -s rr -t 10.0.0.1:80', {}],
    ['-A -t 10.0.0.1:80 -srr', {}],
    ['--add-service --tcp-service=10.0.0.1:80 --scheduler=rr', {}],
    ['  -A   -t\t10.0.0.1:80  -s rr  ', {}],
    ['-A -t 10.0.0.1:80 -s rr\r', {}],
    ['\n\n-A -t 10.0.0.1:80 -s rr', {}],
    ['-At 10.0.0.1:80 -s rr', {}],
    ['-A -u 10.0.0.1:53 -s rr', { protocol: 'UDP', port: 53 }],
    ['-A --udp-service 10.0.0.1:53 -s rr --ops', { protocol: 'UDP', port: 53, flags: 4 }],
    ['-A -ou 10.0.0.1:53 -s rr', { protocol: 'UDP', port: 53, flags: 4 }],
    ['-A --sctp-service 10.0.0.1:80 -s rr', { protocol: 'SCTP' }],
    ['-A -t [FD00:0:0::0001]:80 -s rr', { address: 'fd00::1' }],
    ['-A -t 10.0.0.1:080 -s rr', {}],
    ['-A -t 10.0.0.1:0 -s rr -p', { port: 0, flags: 1, timeout: 360 }],
    ['-A -t 10.0.0.1:80 -p -s rr', { flags: 1, timeout: 360 }],
    ['-A -t 10.0.0.1:80 -p60 -s rr', { flags: 1, timeout: 60 }],
    ['-A -t 10.0.0.1:80 -s rr --persistent 60', { flags: 1, timeout: 60 }],
    ['-A -t 10.0.0.1:80 -s rr -p 60 -M 255.255.255.0', { flags: 1, timeout: 60, netmask: '255.255.255.0' }],
    ['-A -t 10.0.0.1:80 -s rr --netmask 255.255.255.0', {}],
    ['-A -t 10.0.0.1:80 -s rr -p 60 --pe sip', { flags: 1, timeout: 60, persistenceEngine: 'sip' }],
    ['-A -t 10.0.0.1:80 -s sh -b sh-port', { scheduler: 'sh', flags: 0x10 }],
    ['-A -t 10.0.0.1:80 -s sh -b sh-port,sh-fallback', { scheduler: 'sh', flags: 0x18 }],
    ['-A -t 10.0.0.1:80 -s sh -b flag-1', { scheduler: 'sh', flags: 0x8 }],
    ['-A -t 10.0.0.1:80 -s mh --sched-flags mh-fallback,mh-port', { scheduler: 'mh', flags: 0x18 }],
    ['-A -t 10.0.0.1:80 -s rr -b flag-1,flag-2,flag-3', { flags: 0x38 }],
  ])('is parsed from %j', (text, more) => {
    expect(read(text)).toStrictEqual({ virtualServers: [virtualServer(more)] })
  })
})

describe('a line for a real server', () => {
  it.each<[string, RealServer]>([
    ['-r 10.1.1.1:8080 -m -w 1', realServer('10.1.1.1', 8080)],
    ['-w 3 -m -r 10.1.1.1:8080', realServer('10.1.1.1', 8080, { weight: 3 })],
    ['-mw 3 -r10.1.1.1:8080', realServer('10.1.1.1', 8080, { weight: 3 })],
    ['-r 10.1.1.1:8080 -m', realServer('10.1.1.1', 8080)],
    ['-r 10.1.1.1:8080 -m -w 00', realServer('10.1.1.1', 8080, { weight: 0 })],
    ['-r 10.1.1.1:8080', realServer('10.1.1.1', 8080, { forwarding: 'route' })],
    ['-r 10.1.1.1 -g', realServer('10.1.1.1', 80, { forwarding: 'route' })],
    ['-r [fd00::2] -i', realServer('fd00::2', 80, { forwarding: 'tunnel' })],
    ['--real-server 10.1.1.1:0 --masquerading --weight 1', realServer('10.1.1.1', 0)],
    ['--real-server 10.1.1.1:80 --gatewaying', realServer('10.1.1.1', 80, { forwarding: 'route' })],
    [
      '-r 10.1.1.1:80 --ipip -w 1 --tun-type gue --tun-port 6080 --tun-nocsum',
      realServer('10.1.1.1', 80, {
        forwarding: 'tunnel',
        options: ['--tun-type', 'gue', '--tun-port', '6080', '--tun-nocsum'],
      }),
    ],
    [
      '-r 10.1.1.1:80 -m --l-threshold 50 --u-threshold 100',
      realServer('10.1.1.1', 80, { options: ['-x', '100', '-y', '50'] }),
    ],
  ])('is parsed from %j', (text, server) => {
    const state = read(`-A -t 10.0.0.1:80 -s rr\n-a -t 10.0.0.1:80 ${text}`)
    expect(state).toStrictEqual({ virtualServers: [virtualServer({ realServers: [server] })] })
  })

  it('belongs to its virtual server in any notation of the address and at any position', () => {
    const state = read('-A -t [fd00::1]:80 -s rr\n-A -t [fd00::2]:80\n-a -t [FD00:0::1]:80 -r [fd00::9]:80 -m')
    expect(state.virtualServers.map(({ realServers }) => realServers.length)).toEqual([1, 0])
  })

  it('belongs only to a virtual server of its protocol', () => {
    const state = read('-A -t 10.0.0.1:53\n-A -u 10.0.0.1:53\n-a -u 10.0.0.1:53 -r 10.1.1.1:53 -m')
    expect(state.virtualServers.map(({ realServers }) => realServers.length)).toEqual([0, 1])
  })
})

describe('virtual servers with a firewall mark', () => {
  it('keep their words, separated by single spaces', () => {
    const text = '-A -f 1 -s rr -p 60\n-a  -f 1 -r 10.0.0.2:0\t-g -w 1 \r\n--add-service --fwmark-service 2 -6 -s rr\n'
    expect(read(text)).toStrictEqual({
      virtualServers: [],
      unknownLines: [
        '-A -f 1 -s rr -p 60',
        '-a -f 1 -r 10.0.0.2:0 -g -w 1',
        '--add-service --fwmark-service 2 -6 -s rr',
      ],
    })
  })
})

const excerptOf = (line: number, column: number, text: string) => `${line} | ${text}\n  | ${' '.repeat(column - 1)}^`

describe('problems of parseIpvs', () => {
  const notAPlace = (text: string) => `${text} is not ADDRESS:PORT in numbers, which option -n of ipvsadm prints`
  const notANumber = (name: string) => `--${name} takes a whole number up to 2147483647`

  it.each([
    ['-A -t 10.0.0.1:80', '--scheduler rr --persistent --netmask 255.0.0.0 --pe sip --ops --sched-flags flag-1'],
    [
      '-a -t 10.0.0.1:80',
      '--real-server 10.1.1.1:80 --gatewaying --ipip --masquerading --weight 1 --u-threshold 1 --l-threshold 1 ' +
        '--tun-type gue --tun-port 1 --tun-nocsum --tun-csum --tun-remcsum',
    ],
  ])('include options of a command other than %s', (command, options) => {
    const other = command.startsWith('-A') ? '-a -t 10.0.0.1:80' : '-A -t 10.0.0.1:80'
    for (const option of options.split(' --').map((text) => text.replace(/^(--)?/, '--'))) {
      const parsed = parseIpvs(`${other} ${option}`)
      const codes = parsed.ok ? [] : parsed.problems.map(({ code }) => code)
      expect([option, ...codes]).toEqual([option, 'unexpectedOption'])
    }
  })

  it.each<[string, string, number, string]>([
    ['# comment', 'unknownOption', 1, '# is not an option'],
    ['add-service -t 10.0.0.1:80', 'unknownOption', 1, 'add-service is not an option'],
    ['-', 'unknownOption', 1, '- is not an option'],
    ['--', 'unknownOption', 1, '-- is not an option'],
    ['-A --constructor 1', 'unknownOption', 4, '--constructor is not an option'],
    ['-C', 'unknownOption', 1, '-C is not an option'],
    ['--set 900 120 300', 'unknownOption', 1, '--set is not an option'],
    ['-t 10.0.0.1:80 -A', 'unknownCommand', 1, 'a line begins with -A or -a'],
    ['-A -t 10.0.0.1:80 -s rr # trailing', 'unknownOption', 25, '# is not an option'],
    ['-A -t 10.0.0.1:80 -s', 'missingValue', 19, '--scheduler takes a value'],
    ['-A -t 10.0.0.1:80 --ops=1', 'unexpectedValue', 19, '--ops takes no value'],
    ['-A -t 10.0.0.1:80 -s rr -s wrr', 'repeatedOption', 25, '--scheduler is given twice'],
    ['-A -t 10.0.0.1:80 -s rr -w 3', 'unexpectedOption', 25, '--weight does not belong to --add-service'],
    ['-a -t 10.0.0.1:80 -r 10.1.1.1:80 -s rr', 'unexpectedOption', 34, '--scheduler does not belong to --add-server'],
    ['-A -a -t 10.0.0.1:80', 'unexpectedOption', 4, '--add-server does not belong to --add-service'],
    ['-A -s rr', 'missingOption', 1, 'each line must name exactly one service: -t, -u or --sctp-service'],
    [
      '-A -t 10.0.0.1:80 -u 10.0.0.1:80',
      'missingOption',
      1,
      'each line must name exactly one service: -t, -u or --sctp-service',
    ],
    ['-A -t 10.0.0.1 -s rr', 'invalidAddress', 4, notAPlace('10.0.0.1')],
    ['-A -t 10.0.0.1:http -s rr', 'invalidAddress', 4, notAPlace('10.0.0.1:http')],
    ['-A -t 10.0.0.1:65536 -s rr', 'invalidAddress', 4, notAPlace('10.0.0.1:65536')],
    ['-A -t 010.0.0.1:80 -s rr', 'invalidAddress', 4, notAPlace('010.0.0.1:80')],
    ['-A -t fd00::1:80 -s rr', 'invalidAddress', 4, notAPlace('fd00::1:80')],
    ['-A -t [10.0.0.1]:80 -s rr', 'invalidAddress', 4, notAPlace('[10.0.0.1]:80')],
    ['-A -t localhost:80 -s rr', 'invalidAddress', 4, notAPlace('localhost:80')],
    ['-A -t "10.0.0.1:80" -s rr', 'invalidAddress', 4, notAPlace('"10.0.0.1:80"')],
    ['-A -t --tcp-service=', 'invalidAddress', 4, notAPlace('--tcp-service=')],
    ['-A -t 10.0.0.1:80 -s rr -p 1d', 'invalidValue', 25, notANumber('persistent')],
    ['-A -t 10.0.0.1:80 -s rr -p 2147483648', 'invalidValue', 25, notANumber('persistent')],
    ['-A -t 10.0.0.1:80 -s rr -b nosuch', 'invalidValue', 25, 'nosuch are not scheduler flags'],
    ['-A -t 10.0.0.1:80 -s é', 'invalidCharacter', 22, 'ipvsadm reads printable ASCII only'],
    ['-a -t 10.0.0.1:80 -r 10.1.1.1:80', 'unknownVirtualServer', 1, 'this virtual server has not been added'],
    ['-a -r 10.1.1.1:80', 'missingOption', 1, 'each line must name exactly one service: -t, -u or --sctp-service'],
  ])('include the line %j', (text, code, column, message) => {
    expect(parseIpvs(text)).toEqual({
      ok: false,
      problems: [{ code, text: 0, line: 1, column, message, excerpt: excerptOf(1, column, text) }],
    })
  })

  it.each<[string, string, number, string]>([
    ['-A -t 10.0.0.1:80 -s wrr', 'duplicateVirtualServer', 1, 'this virtual server has been added already'],
    ['-a -t 10.0.0.1:80 -m', 'missingOption', 1, '-a names a real server with -r'],
    ['-a -t 10.0.0.1:80 -r web:80', 'invalidAddress', 19, notAPlace('web:80')],
    [
      '-a -t 10.0.0.1:80 -r 10.1.1.1:80 -m -g',
      'conflictingOptions',
      37,
      '--masquerading and --gatewaying cannot be combined',
    ],
    ['-a -t 10.0.0.1:80 -r 10.1.1.1:80 -w -1', 'invalidValue', 34, notANumber('weight')],
    ['-a -t 10.0.0.1:80 -r 10.1.1.9:80 -m', 'duplicateRealServer', 1, 'this real server has been added already'],
  ])('include the line %j after its virtual server', (text, code, column, message) => {
    const before = '-A -t 10.0.0.1:80 -s rr\n-a -t 10.0.0.1:80 -r 10.1.1.9:80 -m\n'
    expect(parseIpvs(before + text)).toEqual({
      ok: false,
      problems: [{ code, text: 0, line: 3, column, message, excerpt: excerptOf(3, column, text) }],
    })
  })

  it('include every invalid line', () => {
    const result = parseIpvs('-C\n-A -t 10.0.0.1:80\n-Z\n')
    expect(result.ok ? [] : result.problems.map(({ line }) => line)).toEqual([1, 3])
  })
})
