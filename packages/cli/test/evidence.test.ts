import { describe, expect, it } from 'vitest'
import { clusterJson, configuration, listJson, node, service, slice } from './support/objects.js'
import { run } from './support/run.js'

// What people paste shows a part of a node. These tests state what may follow from such a part.

const objectsOf = (mode: 'iptables' | 'ipvs') =>
  listJson(
    node('node-1', ['192.0.2.11']),
    service('web', ['10.96.20.5'], {
      type: 'NodePort',
      ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080, nodePort: 30080 }],
    }),
    slice('web', '10.244.2.7'),
    configuration({ clusterCIDR: '10.244.0.0/16', mode }),
  )

const FILES = { 'cluster.json': objectsOf('iptables'), 'ipvs.json': objectsOf('ipvs') }

const printed = async (file: keyof typeof FILES, version: string, format = 'save') =>
  (
    await run(['print', '-f', file, '--kubernetes-version', version, '--family', '4', '--format', format], {
      files: FILES,
    })
  ).stdout

/** Runs explain or verify for a dump. The last words are further arguments. */
const ask = (command: string, dumps: Readonly<Record<string, string>>, ...words: readonly string[]) =>
  run([command, ...Object.keys(dumps).flatMap((name) => ['--dump', name]), ...words], { files: { ...FILES, ...dumps } })

const OBJECTS = ['-f', 'cluster.json', '--kubernetes-version', '1.30']
const IPVS_OBJECTS = ['-f', 'ipvs.json', '--kubernetes-version', '1.30']
const NODE_PORT = ['192.0.2.11:30080', '--from', 'outside']

const prompt = (command: string, output: string) => `root@node-1:~# ${command}\n${output}\n`

describe('a search for the name of a Service', () => {
  it.each(['default/web', 'web|POSTROUTING', 'web|KUBE-NODEPORTS'])(
    'does not accuse assumed rules: grep %s',
    async (words) => {
      const rules = (await printed('cluster.json', '1.30')).split('\n').filter((line) => new RegExp(words).test(line))
      const dump = prompt(`iptables-save | grep -E '${words}'`, rules.join('\n'))
      for (const options of [OBJECTS, ['--node-address', '192.0.2.11']]) {
        const { stdout } = await ask('explain', { 'node.dump': dump }, ...options, ...NODE_PORT)
        expect(stdout).toMatch(/^198\.51\.100\.1 -> 192\.0\.2\.11:30080\/TCP, from outside\n/)
        expect(stdout).toContain('=> 10.244.2.7:8080, masqueraded')
      }
    },
  )
})

describe('a virtual server that cannot be read', () => {
  const listing = (line: string) =>
    prompt(
      'ipvsadm -Ln',
      `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
TCP  192.0.2.11:30080 rr
  -> 10.244.2.7:8080              Masq    1      0          0
${line}
  -> 10.244.9.9:9090              Masq    1      0          0
TCP  10.96.0.1:443 rr
  -> 192.0.2.10:6443              Masq    1      3          0`,
    )

  it.each(['**TCP  203.xx.11:8080 rr**', 'TCP  203.0.113.x:8080 rr', 'T P  203.0.113.4:8080 rr', '???'])(
    'keeps its real servers: %s',
    async (line) => {
      const dump = { 'node.dump': listing(line) }
      const { stdout, stderr } = await ask('explain', dump, '--node-address', '192.0.2.11', ...NODE_PORT)
      expect(stdout).toContain('=> 10.244.2.7:8080\n')
      expect(stdout).not.toContain('10.244.9.9')
      expect(stderr).not.toContain('all of ipvs')
    },
  )
})

describe('a list of one virtual server', () => {
  it.each([
    '-Ln -t 10.96.20.5:80',
    '-Lnt 10.96.20.5:80',
    '-L -n --tcp-service 10.96.20.5:80',
    '-ln --tcp-service=10.96.20.5:80',
  ])('leaves the others unknown: ipvsadm %s', async (options) => {
    const output = `Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
TCP  10.96.20.5:80 rr
  -> 10.244.2.7:8080              Masq    1      0          0`
    const dump = { 'node.dump': prompt(`ipvsadm ${options}`, output) }
    const verified = await ask('verify', dump, ...IPVS_OBJECTS)
    expect(verified).toMatchObject({ exitCode: 3 })
    expect(verified.stdout).not.toContain('missing')
    const explained = await ask('explain', dump, ...IPVS_OBJECTS, ...NODE_PORT)
    expect(explained.exitCode).toBe(2)
    expect(explained.stdout).toContain('it is unknown whether the outcome differs from the one that the objects define')
    expect(explained.stdout).toContain('cannot be determined: not all virtual servers are in the dump')
  })
})

describe('lines that end in one column', () => {
  const brokenAt = (text: string, column: number) =>
    text
      .split('\n')
      .map((line) => line.replace(new RegExp(`(.{${column}})(?=.)`, 'g'), '$1\n'))
      .join('\n')
  const cutAt = (text: string, column: number) =>
    text
      .split('\n')
      .map((line) => line.slice(0, column))
      .join('\n')

  it.each([72, 79, 80, 96, 100, 101, 120])('are joined if the next lines have the rest: column %d', async (column) => {
    const dump = { 'node.dump': brokenAt(await printed('cluster.json', '1.30'), column) }
    const { exitCode, stdout, stderr } = await ask('verify', dump, ...OBJECTS)
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'no drift\n' })
    expect(stderr).toContain(': all long lines end in the same column: they are joined with the next lines\n')
  })

  it.each([80, 132])('are joined in a listing: column %d', async (column) => {
    const listing = await printed('cluster.json', '1.30', 'listing')
    const at = listing.indexOf('# iptables -t nat')
    const dump = { 'node.dump': brokenAt(listing.slice(at), column) }
    const { stdout } = await ask('explain', dump, ...OBJECTS, ...NODE_PORT)
    expect(stdout).toContain('=> 10.244.2.7:8080, masqueraded')
  })

  it.each([60, 72, 80, 100, 120])('are parts if the rest is missing: column %d', async (column) => {
    const dump = { 'node.dump': cutAt(await printed('cluster.json', '1.30'), column) }
    const { exitCode, stdout } = await ask('verify', dump, ...OBJECTS)
    expect(stdout).toMatch(/^not verified: IPv4 iptables filter, IPv4 iptables nat\n$/)
    expect(exitCode).toBe(3)
  })
})

describe('another iptables backend', () => {
  const legacy = `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
-A POSTROUTING -s 172.17.0.0/16 ! -o docker0 -j MASQUERADE
COMMIT
`
  it('has no rules of kube-proxy if it has no chain for Services', async () => {
    const dumps = { 'nft.dump': await printed('ipvs.json', '1.30'), 'legacy.dump': legacy }
    const { exitCode, stdout, stderr } = await ask('explain', dumps, ...IPVS_OBJECTS, '10.96.20.5:80', '--from', 'node')
    expect(stderr).toContain(
      'warning: legacy.dump has rules of other programs; packets traverse both, but the trace uses only the rules of nft.dump',
    )
    expect(stderr).not.toContain('both have rules of kube-proxy')
    expect(stdout).toContain('=> 10.244.2.7:8080, masqueraded')
    expect(exitCode).toBe(0)
  })
})

describe('the exit code of explain', () => {
  const dump = {
    'node.dump': `*mangle
:PREROUTING ACCEPT [0:0]
-A PREROUTING -d 10.96.0.10/32 -j UNHEARD --of 1
COMMIT
*nat
COMMIT
*filter
COMMIT
`,
  }

  it.each([
    ['10.96.0.10:53/udp', 2],
    ['10.96.0.11:53/udp', 0],
  ])('is 2 without objects if the outcome is unknown: %s', async (destination, exitCode) => {
    const words = ['--node-address', '192.0.2.11', destination, '--from', 'pod']
    const outcome = await ask('explain', dump, ...words)
    expect(outcome.stdout.includes('cannot be determined')).toBe(exitCode === 2)
    expect(outcome.exitCode).toBe(exitCode)
  })
})

describe('one chain of a listing', () => {
  const forward = prompt(
    'iptables -nvL FORWARD',
    `Chain FORWARD (policy ACCEPT 0 packets, 0 bytes)
 pkts bytes target     prot opt in     out     source               destination
   81  5032 KUBE-FORWARD  all  --  *      *       0.0.0.0/0            0.0.0.0/0            /* kubernetes forwarding rules */
   40  2011 KUBE-SERVICES  all  --  *      *       0.0.0.0/0            0.0.0.0/0            ctstate NEW /* kubernetes service portals */
   12   981 ACCEPT     all  --  *      *       0.0.0.0/0            0.0.0.0/0            ctstate RELATED,ESTABLISHED
   33  1299 REJECT     all  --  *      *       0.0.0.0/0            0.0.0.0/0            reject-with icmp-host-prohibited
    0     0 ACCEPT     all  --  *      *       10.244.0.0/16        0.0.0.0/0`,
  )

  it('is completed by the chains of kube-proxy that the objects define', async () => {
    const { stdout } = await ask('explain', { 'node.dump': forward }, ...OBJECTS, '10.96.20.5:80', '--from', 'pod')
    expect(stdout).toMatch(
      /^On node node-1, packets from a pod to 10\.96\.20\.5:80\/TCP may be rejected by a rule of another/,
    )
    expect(stdout).toContain('rule 4 of FORWARD')
    expect(stdout).toContain('cannot be determined: not all of chain filter/KUBE-FORWARD is in the dump')
  })
})

describe('output of conntrack', () => {
  const ENTRY =
    'tcp      6 119 SYN_SENT src=10.244.1.4 dst=10.96.20.5 sport=40000 dport=80 [UNREPLIED] src=10.244.9.9 dst=10.244.1.4 sport=8080 dport=40000 mark=0 use=1'
  const warningOf = (place: string) =>
    `warning: node.dump:${place}: a connection from 10.244.1.4 to 10.96.20.5:80/TCP stays on 10.244.9.9:8080, which is not an endpoint of Service default/web; it ends when the client connects again\n`

  it.each([
    ['conntrack -L -p tcp', ENTRY],
    ['conntrack -L -o extended', `ipv4     2 ${ENTRY}`],
    ['cat /proc/net/nf_conntrack', `ipv4     2 ${ENTRY.replace('dport=80', 'dport=80 packets=3 bytes=180')}`],
  ])('is evidence of stale connections: %s', async (command, entry) => {
    const rules = await printed('cluster.json', '1.30')
    const line = rules.split('\n').length
    const dump = { 'node.dump': `${rules.trimEnd()}\n$ ${command}\n${entry}\n` }
    const { stdout, stderr } = await ask('verify', dump, ...OBJECTS)
    expect(stdout).toBe('no drift\n')
    expect(stderr).toContain(warningOf(String(line + 1)))
    expect(stderr).toContain(`note: node.dump:${line + 1}: a line of conntrack, not of rules\n`)
    expect(stderr).not.toContain('no tool prints')
  })

  it.each([
    ['tcp', ENTRY, 'it ends when the client connects again'],
    [
      'udp',
      ENTRY.replace('tcp      6 119 SYN_SENT', 'udp      17 29'),
      'to end it, run conntrack -D -p udp --orig-dst 10.96.20.5 --orig-port-dst 80 on the node',
    ],
  ])('is compared with the outcomes of explain without objects: %s', async (protocol, entry, end) => {
    const rules = (await printed('cluster.json', '1.30')).replaceAll('tcp', protocol)
    const other = entry.replace('10.96.20.5', '10.96.20.6')
    const current = entry.replace('10.244.9.9', '10.244.2.7')
    const dump = { 'node.dump': `${rules.trimEnd()}\n$ conntrack -L\n${other}\n${current}\n${entry}\n` }
    const destination = `10.96.20.5:80/${protocol.toUpperCase()}`
    const { stderr } = await ask('explain', dump, destination, '--from', '10.244.1.4')
    const place = `node.dump:${rules.split('\n').length + 3}`
    expect(stderr.split('\n').filter((line) => line.startsWith('warning: '))).toEqual([
      `warning: ${place}: a connection from 10.244.1.4 to ${destination} stays on 10.244.9.9:8080, but no rule in the dump sends new packets there; ${end}`,
    ])
  })

  it('is no evidence if the connection goes to an endpoint', async () => {
    const dump = {
      'node.dump': `${await printed('cluster.json', '1.30')}${ENTRY.replace('10.244.9.9', '10.244.2.7')}\n`,
    }
    expect((await ask('verify', dump, ...OBJECTS)).stderr).not.toContain('stays on')
  })

  it('is no evidence if the endpoint is terminating, and keeps its connections', async () => {
    const cluster = clusterJson(
      service('web', ['10.96.20.5']),
      {
        ...slice('web', '10.244.2.7'),
        endpoints: [
          { addresses: ['10.244.2.7'] },
          { addresses: ['10.244.9.9'], conditions: { ready: false, serving: true, terminating: true } },
        ],
      },
      configuration({ clusterCIDR: '10.244.0.0/16' }),
    )
    const files = { 'a.json': cluster }
    const { stdout: rules } = await run(['print', '-f', 'a.json', '--format', 'save', '--family', '4'], { files })
    const args = ['verify', '-f', 'a.json', '--dump', 'node.dump']
    const { stdout, stderr } = await run(args, { files: { ...files, 'node.dump': `${rules}${ENTRY}\n` } })
    expect(stdout).toBe('no drift\n')
    expect(stderr).toContain(': a line of conntrack, not of rules\n')
    expect(stderr).not.toContain('stays on')
  })
})

describe('remarks after a rule', () => {
  const rule =
    '-A KUBE-SVC-XPGD46QRK7WJZT7O -m comment --comment "default/web:http -> 10.244.2.7:8080" -j KUBE-SEP-AAAAAAAAAAAAAAAA'

  it.each([
    '#（只有一个 Pod）',
    '# foo',
    '#foo',
    '; foo',
    ';foo',
    '<- foo',
    '<-foo',
    '(foo)',
    '（foo）',
    '← 1',
    '# "foo"',
    '// foo',
    '=> foo',
    'foo bar',
  ])('are no part of it: %s', async (remark) => {
    const dump = `${prompt('iptables -t nat -S KUBE-SVC-XPGD46QRK7WJZT7O', `-N KUBE-SVC-XPGD46QRK7WJZT7O\n${rule} ${remark}`)}${prompt(
      'iptables -t nat -S KUBE-SEP-AAAAAAAAAAAAAAAA',
      '-N KUBE-SEP-AAAAAAAAAAAAAAAA\n-A KUBE-SEP-AAAAAAAAAAAAAAAA -p tcp -m tcp -j DNAT --to-destination 10.244.2.7:8080',
    )}${prompt('iptables -t nat -S KUBE-SERVICES | grep 10.96.20.5', '-A KUBE-SERVICES -d 10.96.20.5/32 -p tcp -m tcp --dport 80 -j KUBE-SVC-XPGD46QRK7WJZT7O')}`
    const words = ['10.96.20.5:80', '--from', 'pod', '--node-address', '192.0.2.11']
    const { stdout } = await ask('explain', { 'node.dump': dump }, ...words)
    expect(stdout).toContain('=> 10.244.2.7:8080\n')
    expect(stdout).not.toContain('not handled by kube-proxy')
  })
})

describe('host names of Amazon EC2 in a listing', () => {
  it('are addresses', async () => {
    const listing = prompt(
      'iptables -t nat -L KUBE-SERVICES',
      `Chain KUBE-SERVICES (2 references)
target     prot opt source               destination
KUBE-SVC-XPGD46QRK7WJZT7O  tcp  --  anywhere             ip-10-96-20-5.us-west-2.compute.internal  /* default/web:http cluster IP */ tcp dpt:http`,
    )
    const words = ['10.96.20.6:80', '--from', 'pod', '--node-address', '192.0.2.11']
    const { stdout } = await ask('explain', { 'node.dump': listing }, ...words)
    expect(stdout).not.toContain('ip-10-96-20-5')
  })
})

describe('one table', () => {
  const tableOf = async (name: 'nat' | 'filter', change = (text: string) => text) => {
    const text = change(await printed('cluster.json', '1.30'))
    const lines = text.slice(text.indexOf(`*${name}\n`))
    return `*${name}\n${lines.slice(name.length + 2, lines.indexOf('COMMIT'))}COMMIT\n`
  }

  it.each([
    ['filter', 'nat'],
    ['nat', 'filter'],
  ] as const)('of iptables is traced with the name of the missing one: %s', async (name, missing) => {
    const dump = prompt(`iptables-save -t ${name}`, await tableOf(name))
    const { stdout, exitCode } = await ask('explain', { 'node.dump': dump }, ...OBJECTS, ...NODE_PORT)
    expect(stdout).toContain(`=> cannot be determined: table ${missing} is not in the dump\n`)
    expect(stdout).not.toContain('not handled by kube-proxy')
    expect(stdout.includes('=> not handled by the rules in the dump')).toBe(name === 'filter')
    expect(stdout.includes('\nit is unknown whether the outcome differs')).toBe(name === 'filter')
    expect(exitCode).toBe(name === 'filter' ? 2 : 0)
  })

  it('of another program is traced with the names of both tables of kube-proxy', async () => {
    const dump = prompt('iptables-save -t raw', '*raw\n:PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT')
    const { stdout } = await ask('explain', { 'node.dump': dump }, ...OBJECTS, ...NODE_PORT)
    expect(stdout).toContain('=> cannot be determined: tables nat and filter are not in the dump\n')
  })
})

describe('a listing without interfaces', () => {
  const listed = async (change = (text: string) => text) => {
    const text = change(await printed('cluster.json', '1.30', 'listing'))
    return prompt('iptables -t nat -L -n', text.slice(text.indexOf('Chain', text.indexOf('iptables -t nat'))))
  }
  const difference = async (dump: string) => {
    const { stdout, exitCode } = await ask('explain', { 'node.dump': dump }, ...OBJECTS, ...NODE_PORT)
    return { exitCode, lines: stdout.split('\n').filter((line) => /may differ/.test(line)) }
  }

  it('may show a rule for an endpoint of the past', async () => {
    const { lines, exitCode } = await difference(await listed((text) => text.replaceAll('10.244.2.7', '10.244.9.9')))
    expect(exitCode).toBe(2)
    expect(lines).toEqual([
      expect.stringMatching(
        /^a rule of KUBE-SEP-\w{16} sends packets to 10\.244\.9\.9:8080, which is not an endpoint, so the outcome may differ from the one that the objects define: 10\.244\.2\.7:8080, masqueraded \(the traffic policy is Cluster: .*\)$/,
      ),
    ])
  })

  it('has no such rule if the endpoints are those of the objects', async () => {
    expect((await difference(await listed())).lines).toEqual([])
  })
})

describe('the output of ip address next to rules', () => {
  const output = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,UP> mtu 1500
    inet 192.0.2.11/24 brd 192.0.2.255 scope global eth0
    inet 192.0.2.50/32 scope global eth0`
  const dumpOf = async () =>
    prompt('iptables-save', await printed('cluster.json', '1.30')) + prompt('ip addr show', output)
  const note = 'note: node.dump:70: ip address shows the addresses of the node: 192.0.2.11, 192.0.2.50\n'

  it.each([
    ['with objects', OBJECTS],
    ['without objects', []],
  ])('contains the addresses with node ports: %s', async (_, options) => {
    const dump = await dumpOf()
    const line = dump.split('\n').findIndex((each) => each.startsWith('1: lo')) + 1
    const asked = (address: string) =>
      ask('explain', { 'node.dump': dump }, ...options, `${address}:30080`, '--from', 'outside')
    const { stdout, stderr } = await asked('192.0.2.50')
    expect(stdout).toContain('=> 10.244.2.7:8080, masqueraded\n')
    expect(stdout).not.toContain('an address of the node')
    expect(stderr).toContain(note.replace(':70:', `:${line}:`))
    expect((await asked('192.0.2.51')).stdout).toContain('\n=> not handled by kube-proxy\n')
  })

  it('does not replace given addresses', async () => {
    const options = ['--node-address', '192.0.2.99']
    const { stdout, stderr } = await ask('explain', { 'node.dump': await dumpOf() }, ...options, ...NODE_PORT)
    expect(stdout).toContain('=> not handled by kube-proxy')
    expect(stderr).not.toContain('ip address')
  })

  it('is also read by verify', async () => {
    const { exitCode, stdout, stderr } = await ask('verify', { 'node.dump': await dumpOf() }, ...OBJECTS)
    expect(stderr).toContain('ip address shows the addresses of the node: 192.0.2.11, 192.0.2.50\n')
    expect(stdout).toBe('no drift\n')
    expect(exitCode).toBe(0)
  })
})

describe('statistics of virtual servers', () => {
  it.each(['--stats', '--rate'])('may show a former endpoint: ipvsadm -Ln %s', async (option) => {
    const listing = `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port               Conns   InPkts  OutPkts  InBytes OutBytes
  -> RemoteAddress:Port
TCP  10.96.20.5:80                      12       72       48     4320     2880
  -> 10.244.9.9:8080                    12       72       48     4320     2880`
    const dump = prompt(`ipvsadm -Ln ${option}`, listing)
    const { stdout } = await ask('explain', { 'node.dump': dump }, ...IPVS_OBJECTS, '10.96.20.5:80', '--from', 'pod')
    expect(stdout).toContain(
      'a virtual server sends packets to 10.244.9.9:8080, which is not an endpoint, so the outcome may differ from the one that the objects define: 10.244.2.7:8080 (the traffic policy is Cluster: all endpoints; it comes from a pod, so the client IP is preserved)\n',
    )
  })
})

describe('the tables of kubectl get in a dump', () => {
  it('are compared with the outcomes', async () => {
    const table = `NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE
web NodePort 10.96.20.5 <none> 80:30080/TCP 5d

NAME ENDPOINTS AGE
web 10.244.2.7:8080,10.244.3.9:8080 5d
`
    const dump = prompt('kubectl get svc,ep', table) + prompt('iptables-save', await printed('cluster.json', '1.30'))
    const { stderr } = await ask('explain', { 'node.dump': dump }, '10.96.20.5:80', '--from', 'pod')
    expect(stderr).toContain(
      'note: kubectl get lists endpoint 10.244.3.9:8080 of Service web, but no rule in the dump sends these packets there',
    )
  })
})

describe('a node without rules of kube-proxy', () => {
  const table = (name: string, ...lines: readonly string[]) =>
    `*${name}\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n${lines.join('\n')}\nCOMMIT\n`
  const filter = '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n'
  const CILIUM = [
    ':CILIUM_PRE_nat - [0:0]',
    '-A PREROUTING -m comment --comment "cilium-feeder: CILIUM_PRE_nat" -j CILIUM_PRE_nat',
  ]

  it.each([
    ['', [':X - [0:0]'], 'no Service works: the nat table has no rules of kube-proxy'],
    [
      'with rules of Cilium',
      CILIUM,
      'the nat table has no rules of kube-proxy: no Service works, unless Cilium serves Services in its place',
    ],
  ])('has this as its cause, not a single missing rule: %s', async (_, lines, summary) => {
    const dump = { 'node.dump': `${table('nat', ...lines)}${filter}` }
    const { stdout } = await ask('explain', dump, ...OBJECTS, '10.96.20.5:80', '--from', 'pod')
    expect(stdout.split('\n')[0]).toBe(`On node node-1, ${summary}`)
  })
})

describe('chains of one Service', () => {
  const explained = async (dump: string) =>
    (await run(['explain', '--dump', 'part.dump', '10.96.20.5:80', '--from', 'pod'], { files: { 'part.dump': dump } }))
      .stdout

  it('show where packets to its cluster IP go, without KUBE-SERVICES', async () => {
    const stdout = await explained(`$ iptables -t nat -S KUBE-SVC-AAAAAAAAAAAAAAAA
-N KUBE-SVC-AAAAAAAAAAAAAAAA
-A KUBE-SVC-AAAAAAAAAAAAAAAA ! -s 10.244.0.0/16 -d 10.96.20.5/32 -p tcp -m comment --comment "shop/cart:http cluster IP" -m tcp --dport 80 -j KUBE-MARK-MASQ
-A KUBE-SVC-AAAAAAAAAAAAAAAA -m comment --comment "shop/cart:http" -j KUBE-SEP-BBBBBBBBBBBBBBBB
$ iptables -t nat -S KUBE-SEP-BBBBBBBBBBBBBBBB
-N KUBE-SEP-BBBBBBBBBBBBBBBB
-A KUBE-SEP-BBBBBBBBBBBBBBBB -p tcp -m comment --comment "shop/cart:http" -m tcp -j DNAT --to-destination 10.244.7.7:8080
`)
    expect(stdout).toMatch(/^10\.244\.0\.254 -> 10\.96\.20\.5:80\/TCP, from a pod\n/)
    expect(stdout).toContain('=> 10.244.7.7:8080')
    expect(stdout).toContain('if missing rules do not affect it')
  })

  it('are in the table nat if nft lists them without a table', async () => {
    const stdout = await explained(`	chain KUBE-SVC-AAAAAAAAAAAAAAAA {
		meta l4proto tcp ip saddr != 10.244.0.0/16 ip daddr 10.96.20.5 tcp dport 80 counter packets 0 bytes 0 jump KUBE-MARK-MASQ
		counter packets 0 bytes 0 jump KUBE-SEP-BBBBBBBBBBBBBBBB
	}

	chain KUBE-SEP-BBBBBBBBBBBBBBBB {
		meta l4proto tcp counter packets 0 bytes 0 dnat to 10.244.7.7:8080
	}
`)
    expect(stdout).toContain('=> 10.244.7.7:8080')
  })
})

describe('connections without rules', () => {
  const explained = async (dump: string) =>
    (await run(['explain', '--dump', 'part.dump', '10.96.0.10:53/udp'], { files: { 'part.dump': dump } })).stderr

  it('show that a connection is not translated', async () => {
    expect(
      await explained(`$ conntrack -L -p udp
udp      17 27 src=10.244.1.9 dst=10.96.0.10 sport=40000 dport=53 [UNREPLIED] src=10.96.0.10 dst=10.244.1.9 sport=53 dport=40000 mark=0 use=1
`),
    ).toBe(
      'error: part.dump:2: the connection from 10.244.1.9 to 10.96.0.10:53/UDP is not translated to an endpoint; if this is the address of a Service, its packets are lost until the entry is deleted: run conntrack -D -p udp --orig-dst 10.96.0.10 --orig-port-dst 53 on the node; only rules show where new connections go: add the output of iptables-save, ipvsadm -Sn or nft list ruleset\n',
    )
  })

  it('accuse no connection with replies', async () => {
    expect(
      await explained(
        'tcp      6 431999 ESTABLISHED src=192.0.2.9 dst=192.0.2.11 sport=40000 dport=22 src=192.0.2.11 dst=192.0.2.9 sport=22 dport=40000 [ASSURED] mark=0 use=1\n',
      ),
    ).toContain('to 192.0.2.11:22/TCP is not translated to an endpoint; only rules show')
  })

  it('are read within a sentence, with a masked address', async () => {
    const entry =
      'udp  17 27 src=10.244.1.9 dst=<clusterIp> sport=40000 dport=53 [UNREPLIED] src=10.244.7.7 dst=10.244.1.9 sport=53 dport=40000 mark=0 use=1'
    const { stderr } = await run(['explain', '--dump', 'part.dump', '10.96.0.10:53/UDP'], {
      files: { 'part.dump': `Response : \u201c${entry} conntrack v1.4.4: 1 flow entries have been shown\u201d\n` },
    })
    expect(stderr).toContain(
      'error: part.dump:1: the connection from 10.244.1.9 to <clusterIp>:53/UDP stays on 10.244.7.7:53, which has not replied; only rules show',
    )
  })

  it('show the endpoint that a connection stays on', async () => {
    expect(
      await explained(
        'udp      17 27 src=10.244.1.9 dst=10.96.0.10 sport=40000 dport=53 [UNREPLIED] src=10.244.7.7 dst=10.244.1.9 sport=53 dport=40000 mark=0 use=1\n',
      ),
    ).toContain('to 10.96.0.10:53/UDP stays on 10.244.7.7:53, which has not replied; only rules show')
  })
})

describe('a warning of iptables-nft', () => {
  it('is the reason to print the tables of the other back end', async () => {
    const dump = `# iptables -t nat -nL PREROUTING
Chain PREROUTING (policy ACCEPT)
target     prot opt source               destination
DOCKER     all  --  0.0.0.0/0            0.0.0.0/0            ADDRTYPE match dst-type LOCAL
Warning: iptables-legacy tables present, use iptables-legacy to see them
`
    const { stdout } = await run(['explain', '--dump', 'part.dump', ...NODE_PORT], { files: { 'part.dump': dump } })
    expect(stdout).toMatch(/^It is unknown .*; iptables-legacy has tables that the dump does not show\n/)
    expect(stdout).toMatch(/^do:\n {2}1\. .*:\n {5}iptables-legacy-save$/m)
  })
})
