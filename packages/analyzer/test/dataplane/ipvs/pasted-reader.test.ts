import { describe, expect, it } from 'vitest'
import { NO_HINTS, pastedLines } from '../../../../compiler/test/support/pasted-lines.js'
import { ipvsPasteReader } from '../../../src/dataplane/ipvs/pasted/reader.js'

/**
 * Reads virtual servers as `10.0.0.1:80 rr < 10.1.1.1:8080/1 10.1.1.2:8080/1`, and the list of complete virtual
 * servers.
 */
function read(...lines: readonly string[]) {
  const { states, coverage, problems, notes } = ipvsPasteReader.read(pastedLines(...lines), NO_HINTS)
  const serversOf = (family: 'IPv4' | 'IPv6') =>
    states[family]?.virtualServers.map(({ address, port, scheduler, realServers }) =>
      [
        `${address}:${port} ${scheduler} <`,
        ...realServers.map((real) => `${real.address}:${real.port}/${real.weight}`),
      ].join(' '),
    )
  return {
    servers: serversOf('IPv4'),
    six: serversOf('IPv6'),
    whole: coverage.IPv4?.isComplete ? 'all' : coverage.IPv4?.complete.map((id) => id.replace('ipvs TCP ', '')),
    messages: [...problems, ...notes].map(({ line, code, message }) => `${line} ${code}: ${message}`),
  }
}

const SAVED = ['-A -t 10.0.0.1:80 -s rr', '-a -t 10.0.0.1:80 -r 10.1.1.1:8080 -m -w 1']
const LISTED = ['TCP  10.0.0.1:80 rr', '-> 10.1.1.1:8080   Masq    1      0          0']
const OTHER = ['TCP  10.0.0.2:80 rr', '-> 10.1.1.2:8080   Masq    2      0          0']
const HEAD = [
  'IP Virtual Server version 1.2.1 (size=4096)',
  'Prot LocalAddress:Port Scheduler Flags',
  '-> RemoteAddress:Port           Forward Weight ActiveConn InActConn',
]
const ONE = '10.0.0.1:80 rr < 10.1.1.1:8080/1'
const TWO = '10.0.0.2:80 rr < 10.1.1.2:8080/2'
const NO_SERVER = 'strayLine: the virtual server of this real server is unknown'

describe('an excerpt of ipvsadm output', () => {
  it.each([
    ['commands', ['$ ipvsadm -Sn', ...SAVED]],
    ['a listing', ['$ ipvsadm -Ln', ...HEAD, ...LISTED]],
    ['a listing without the command', [...HEAD, ...LISTED]],
    ['a listing without its heading', ['$ ipvsadm -Ln', ...LISTED]],
    ['a listing with empty lines', [HEAD[0] ?? '', '', ...LISTED]],
  ])('is complete: %s', (_, lines) => {
    expect(read(...lines)).toEqual({ servers: [ONE], six: [], whole: 'all', messages: [] })
  })

  it.each([
    ['a listing without command and heading', LISTED, []],
    ['commands without the command line', SAVED, []],
    ['a listing after a filter', ['$ ipvsadm -Ln | grep', ...HEAD, ...LISTED], []],
    ['a listing after the command of another tool', ['$ iptables -S', ...LISTED], []],
  ])('is incomplete: %s', (_, lines, whole) => {
    expect(read(...lines)).toEqual({ servers: [ONE], six: undefined, whole, messages: [] })
  })

  it('may contain no virtual servers', () => {
    expect(read(...HEAD)).toEqual({ servers: [], six: [], whole: 'all', messages: [] })
    expect(read()).toEqual({ servers: undefined, six: undefined, whole: undefined, messages: [] })
  })

  it('is incomplete if a section is filtered or has no heading', () => {
    expect(read('$ ipvsadm -Ln', ...LISTED, '$ ipvsadm -Ln | grep', ...OTHER)).toMatchObject({
      servers: [ONE, TWO],
      whole: ['10.0.0.1:80', '10.0.0.2:80'],
    })
    expect(read('$ ipvsadm -Ln', ...LISTED, '---', '$ ipvsadm -Ln | grep', ...OTHER).whole).toEqual(['10.0.0.1:80'])
    expect(read('$ ipvsadm -Ln', ...LISTED, '---', '$ ipvsadm -Sn', ...SAVED).whole).toBe('all')
    expect(read(...OTHER, ...HEAD, ...LISTED)).toMatchObject({ servers: [TWO, ONE], whole: ['10.0.0.1:80'] })
    expect(read('-> 10.1.1.9:80 Masq 1', ...HEAD, ...LISTED)).toMatchObject({ servers: [ONE], whole: ['10.0.0.1:80'] })
  })

  it('has a state for each IP family', () => {
    const six = ['TCP  [fd00::1]:80 rr', '-> [fd00::2]:8080   Masq    1']
    expect(read(...six)).toMatchObject({ servers: undefined, six: ['fd00::1:80 rr < fd00::2:8080/1'] })
    expect(read(...LISTED, ...six)).toMatchObject({ servers: [ONE], six: ['fd00::1:80 rr < fd00::2:8080/1'] })
  })
})

describe('missing or invalid content of an ipvs excerpt', () => {
  it.each([
    [
      'makes a virtual server incomplete if a gap follows it',
      [...LISTED, '...', ...OTHER],
      [ONE, TWO],
      ['10.0.0.2:80'],
      [],
    ],
    [
      'makes the excerpt incomplete, but not a virtual server after a gap',
      ['...', ...LISTED],
      [ONE],
      ['10.0.0.1:80'],
      [],
    ],
    [
      'makes a virtual server incomplete if its last line is truncated',
      [...LISTED, ...OTHER, '-> 10.1.1.3:80...'],
      [ONE, TWO],
      ['10.0.0.1:80'],
      ['8 cutLine: the line is truncated'],
    ],
    [
      'does not affect other virtual servers if a virtual server is invalid',
      [...LISTED, 'TCP  10.0.0.9:80 ??', '-> 10.1.1.9:80 Masq 1', ...OTHER],
      [ONE, TWO],
      ['10.0.0.1:80', '10.0.0.2:80'],
      ['6 badRow: expected a virtual server: protocol, address and port, scheduler', `7 ${NO_SERVER}`],
    ],
    [
      'makes a virtual server incomplete if a real server is invalid',
      [...LISTED, '-> 10.1.1.9:80 ?? 1', ...OTHER],
      [ONE, TWO],
      ['10.0.0.2:80'],
      ['6 badRow: expected a real server: address and port, forwarding, weight'],
    ],
    [
      'does not affect other virtual servers if the port of a virtual server is invalid',
      [...LISTED, 'TCP  10.0.0.9:99999 rr', ...OTHER],
      [ONE, TWO],
      ['10.0.0.1:80', '10.0.0.2:80'],
      ['6 invalidAddress: ~'],
    ],
    [
      'makes a virtual server incomplete if the port of a real server is invalid',
      [...LISTED, '-> 10.1.1.9:99999 Masq 1', ...OTHER],
      [ONE, TWO],
      ['10.0.0.2:80'],
      ['6 invalidAddress: ~'],
    ],
  ])('%s', (_, lines, servers, whole, messages) => {
    const found = read(...HEAD, ...lines)
    expect({ ...found, messages: found.messages.map((text) => text.replace(/(?<=invalid\w+: ).*/, '~')) }).toEqual({
      servers,
      six: undefined,
      whole,
      messages,
    })
  })

  it('causes a problem if the virtual server of a real server is missing', () => {
    expect(read('-> 10.1.1.1:80 Masq 1').messages).toEqual([`1 ${NO_SERVER}`])
    expect(read(...HEAD, ...LISTED, '---', '-> 10.1.1.9:80 Masq 1')).toMatchObject({
      servers: [ONE],
      messages: [`7 ${NO_SERVER}`],
    })
    expect(read(...HEAD, ...LISTED, '---', ...OTHER).whole).toEqual(['10.0.0.1:80'])
    expect(read('$ ipvsadm -Sn', '-a -t 10.0.0.9:80 -r 10.1.1.1:8080 -m', ...SAVED)).toMatchObject({
      servers: [ONE],
      messages: ['2 strayLine: the virtual server of this real server is missing in the dump'],
    })
  })
})

describe('a line of an ipvs excerpt', () => {
  it('has no effect if it repeats a virtual server, but has an effect if it repeats a real server', () => {
    const again = ['TCP  10.0.0.1:80 sh', '-> 10.1.1.9:8080   Masq    1']
    expect(read(...LISTED, ...again).servers).toEqual([ONE])
    expect(read(...LISTED, '-> 10.1.1.1:8080   Masq    5').servers).toEqual(['10.0.0.1:80 rr < 10.1.1.1:8080/5'])
  })

  it.each(['-a -t 10.0.0.1:80 -r 10.1.1.1:8080 -m -w 1', '-a  -t  10.0.0.1:80 -r 10.1.1.1:8080 -m -w 1'])(
    'is assigned to the virtual server that it names: %s',
    (line) => {
      expect(read('-A -t 10.0.0.1:80 -s rr', '-A -t 10.0.0.2:80 -s rr', line).servers).toEqual([
        ONE,
        '10.0.0.2:80 rr <',
      ])
    },
  )

  it('may have long options and still belongs to the virtual server that it names', () => {
    const lines = ['-A --tcp-service 10.0.0.1:80 -s rr', '-a --tcp-service=10.0.0.1:80 -r 10.1.1.1:8080 -m -w 1']
    expect(read(...lines).servers).toEqual([ONE])
    expect(read('-A -f 1 -s rr', '-a -f 1 -r 10.1.1.1:8080 -m').messages).toEqual([])
  })

  it('with statistics gets the kube-proxy scheduler and weight, and a single note reports all such lines', () => {
    const counted = [
      ...['TCP  10.0.0.1:80  1  2  3  4  5', '-> 10.1.1.1:8080  1  2  3  4  5'],
      ...['TCP  10.0.0.3:80  1  2  3  4  5', '-> 10.1.1.1:8080  1  2  3  4  5'],
    ]
    expect(read('$ ipvsadm -Ln --stats', ...counted)).toEqual({
      servers: [ONE, '10.0.0.3:80 rr < 10.1.1.1:8080/1'],
      six: undefined,
      whole: [],
      messages: ['2 assumedServer: statistics show neither schedulers nor weights; they are assumed to be rr and 1'],
    })
  })
})

describe('the first line of an ipvs excerpt', () => {
  it.each([...SAVED, ...LISTED, ...HEAD, 'FWM  1 rr', '-A -f 1 -s rr', '-A -6 -f 1', '-A --tcp-service 10.0.0.1:80'])(
    'is recognized: %s',
    (line) => {
      const isContinued = ipvsPasteReader.begins(line, undefined)
      expect(isContinued?.('')).toBeDefined()
      expect(isContinued?.(LISTED[1] ?? '')).toBeDefined()
      expect(isContinued?.('anything else')).toBeUndefined()
    },
  )

  it.each([
    'TCP 01:12  ESTABLISHED 10.0.0.1:1 10.0.0.1:80',
    '-A KUBE-SERVICES -j ACCEPT',
    '->',
    'x -> 10.1.1.1:80 Masq 1',
    'Prot',
    'the IP Virtual Server version',
    'XTCP 10.0.0.1:80 rr',
    'x -A -t 10.0.0.1:80',
    '',
  ])('is not recognized: %j', (line) => {
    expect(ipvsPasteReader.begins(line, undefined)).toBeUndefined()
  })
})
