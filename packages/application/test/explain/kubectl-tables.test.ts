import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { explain } from '../../../analyzer/src/explain/explain.js'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { describeTablesAlone, readKubectlTables } from '../../src/dump/kubectl-tables.js'
import { readDump } from '../../src/dump/read-dump.js'
import { noteKubectlTables } from '../../src/explain/note-kubectl-tables.js'

const SERVICES = `NAME                 TYPE           CLUSTER-IP    EXTERNAL-IP          PORT(S)                      AGE   SELECTOR
service/kubernetes   ClusterIP      10.96.0.1     <none>               443/TCP                      9d    <none>
service/web          LoadBalancer   10.96.44.10   192.0.2.80,fd00::8   80:30080/TCP,53:30053/UDP    5d    app=web,tier=front
service/headless     ClusterIP      None          <pending>            80/TCP                       5d    app=db
`

describe('describeTablesAlone', () => {
  const WANTED =
    'a table of kubectl shows no rules: add the output of iptables-save, ipvsadm -Sn or nft list ruleset of the node, or run kubectl get services,endpointslices -A -o yaml and read its output with -f'

  it.each([
    ['Endpoints', 'NAME   ENDPOINTS         AGE\ncart   10.244.3.8:80   2d\n', WANTED],
    ['Endpoints without ages', 'NAME   ENDPOINTS\ncart   10.244.3.8:80\n', WANTED],
    ['Services', SERVICES, WANTED],
    [
      'Endpoints without addresses',
      'NAME   ENDPOINTS         AGE\ncart   10.244.3.8:80   2d\npay    <none>          2d\n',
      `Service pay has no endpoints in this table; ${WANTED}`,
    ],
    [
      'Endpoints of all namespaces',
      'NAMESPACE   NAME   ENDPOINTS   AGE\nshop        pay    <none>      2d\n',
      `Service shop/pay has no endpoints in this table; ${WANTED}`,
    ],
    [
      'EndpointSlices',
      'NAME        ADDRESSTYPE   PORTS     ENDPOINTS   AGE\npay-x7k2p   IPv4          <unset>   <unset>     2d\n',
      WANTED,
    ],
  ])('names what to add to %s', (_, text, expected) => {
    expect(describeTablesAlone([text])).toBe(expected)
  })

  it('names what to run in place of kubectl describe', () => {
    const text = 'Name:                     pay\nNamespace:                shop\nType:                     NodePort\n'
    expect(() => readDump([{ name: 'svc.txt', text }])).toThrow(
      'svc.txt: this is the output of kubectl describe or of kubectl get without -o yaml, which omits fields; run kubectl get TYPE NAME -o yaml instead',
    )
  })

  it('explains why a table cannot be read as rules', () => {
    const text = 'NAME   ENDPOINTS   AGE\npay    <none>      2d\n'
    expect(() => readDump([{ name: 'ep.txt', text }])).toThrow(
      /^ep\.txt: Service pay has no endpoints in this table; a table of kubectl shows no rules: /,
    )
  })

  it('describes no other text', () => {
    expect(describeTablesAlone(['NAME   READY   STATUS\nweb    1/1     Running\n', ''])).toBeUndefined()
  })
})

describe('readKubectlTables', () => {
  it('reads Services of -o wide', () => {
    expect(readKubectlTables(SERVICES).services).toEqual([
      { name: 'kubernetes', addresses: ['10.96.0.1'], ports: [{ port: 443, protocol: 'TCP' }], selector: '<none>' },
      {
        name: 'web',
        addresses: ['10.96.44.10', '192.0.2.80', 'fd00::8'],
        ports: [
          { port: 80, nodePort: 30080, protocol: 'TCP' },
          { port: 53, nodePort: 30053, protocol: 'UDP' },
        ],
        selector: 'app=web,tier=front',
      },
      { name: 'headless', addresses: [], ports: [{ port: 80, protocol: 'TCP' }], selector: 'app=db' },
    ])
  })

  it('reads Endpoints and EndpointSlices with namespaces, and the shortened lists of both', () => {
    const text = `$ kubectl get ep -A
NAMESPACE   NAME   ENDPOINTS                                                        AGE
shop        web    10.244.1.5:8080,10.244.1.6:8080,[fd00::5]:8080 + 2 more...       5d
shop        db     <none>                                                           5d
done
NAME        ADDRESSTYPE   PORTS       ENDPOINTS               AGE
web-x7k2p   IPv4          8080,9090   10.244.1.5,10.244.2.7   5d
six-x7k2q   IPv6          8080        fd00::5                 5d
big-x7k2r   IPv4          80          10.0.0.1,10.0.0.2,10.0.0.3 + 97 more...   5d
none-x7k2s  IPv4          <unset>     <unset>                 5d
`
    expect(readKubectlTables(text).endpoints).toEqual([
      {
        namespace: 'shop',
        service: 'web',
        endpoints: ['10.244.1.5:8080', '10.244.1.6:8080', '[fd00::5]:8080'],
        isComplete: false,
      },
      { namespace: 'shop', service: 'db', endpoints: [], isComplete: true },
      {
        service: 'web',
        endpoints: ['10.244.1.5:8080', '10.244.1.5:9090', '10.244.2.7:8080', '10.244.2.7:9090'],
        isComplete: true,
      },
      { service: 'six', endpoints: ['[fd00::5]:8080'], isComplete: true },
      { service: 'big', endpoints: ['10.0.0.1:80', '10.0.0.2:80', '10.0.0.3:80'], isComplete: false },
      { service: 'none', endpoints: [], isComplete: false },
    ])
  })

  it('reads no rows below other headings, or with other columns', () => {
    const pods = 'NAME READY STATUS RESTARTS AGE\nweb 1/1 Running 0 5d\n'
    expect(readKubectlTables(pods)).toEqual({ services: [], endpoints: [] })
    expect(readKubectlTables('NAME ENDPOINTS AGE\nweb 10.0.0.1:80\nweb 10.0.0.1:80 5d\n').endpoints).toEqual([])
  })

  it('reads any text', () => {
    const cells = ['NAME', 'ENDPOINTS', 'AGE', 'PORT(S)', '<none>', '+', ',', '1.2.3.4:80', 'a/b', '80/TCP', '\n']
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...cells), fc.string())), (words) => {
        const { services, endpoints } = readKubectlTables(`NAME ENDPOINTS AGE\n${words.join(' ')}`)
        expect(services).toEqual([])
        for (const row of endpoints) expect(row.endpoints).not.toContain('')
      }),
    )
  })
})

/** A packet through rules with these endpoints, and the text beside the rules. */
interface Question {
  readonly table: string
  readonly addresses: readonly string[]
  readonly to?: readonly [string, number]
}

/** Returns the notes about a packet to Service shop/web. */
function notesOn({ table, addresses, to: [destination, destinationPort] = ['10.96.44.10', 80] }: Question) {
  const slice = {
    metadata: { namespace: 'shop', name: 'web-x7k2p', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ name: '', port: 8080, protocol: 'TCP' }],
    endpoints: addresses.map((address) => ({ addresses: [address] })),
  } as const
  const spec = { type: 'NodePort', clusterIP: '10.96.44.10', ports: [{ port: 80, nodePort: 30080 }] } as const
  const services = [{ metadata: { namespace: 'shop', name: 'web' }, spec }]
  const nodes = [{ metadata: { name: 'n' }, status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] } }]
  const [family] = compile({ services, endpointSlices: [slice], nodes }, { nodeName: 'n' }).families
  if (family === undefined) throw new Error('no rules')
  const packet = { origin: 'pod', protocol: 'TCP', source: '10.244.1.9', destination, destinationPort } as const
  const explanation = { ...explain(family.state, packet, { addresses: ['192.0.2.1'] }), diagnoses: [] }
  return noteKubectlTables([explanation], [{ name: 'paste', text: table }])
}

const endpoints = (list: string) => `${SERVICES}\nNAME            ENDPOINTS   AGE\nendpoints/web   ${list}   5d\n`

describe('noteKubectlTables', () => {
  it.each([
    ['the cluster IP', ['10.96.44.10', 80]],
    ['the node port', ['192.0.2.1', 30080]],
  ] as const)('names the endpoints that no rule of %s reaches', (_, to) => {
    const table = endpoints('10.244.1.5:8080,10.244.2.7:8080')
    expect(notesOn({ table, addresses: ['10.244.1.5'], to })).toEqual([
      'note: kubectl get lists endpoint 10.244.2.7:8080 of Service web, but no rule in the dump sends these packets there (normal with a traffic policy of Local if the pods run on other nodes)',
    ])
  })

  it('names the endpoints that only the rules have, unless kubectl shortened the list', () => {
    const addresses = ['10.244.1.5', '10.244.1.6']
    expect(notesOn({ table: endpoints('10.244.1.5:8080'), addresses })).toEqual([
      'note: rules send these packets to 10.244.1.6:8080, which kubectl get does not list for Service web',
    ])
    expect(notesOn({ table: endpoints('10.244.1.5:8080 + 1 more...'), addresses })).toEqual([])
    expect(notesOn({ table: endpoints('10.244.1.5:8080,10.244.1.6:8080'), addresses })).toEqual([])
  })

  it.each([
    ['app=web,tier=front', 'app=web,tier=front', 'no ready pod matches its selector app=web,tier=front'],
    ['no selector', '<none>', 'it has no selector, so its EndpointSlices have to be created by another program'],
  ])('names the cause if there are no endpoints: %s', (_, selector, cause) => {
    const table = endpoints('<none>').replace('app=web,tier=front', selector)
    expect(notesOn({ table, addresses: [] })).toEqual([`note: kubectl get lists no endpoint of Service web: ${cause}`])
  })

  it('names two causes if the table has no selectors', () => {
    const table = 'NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE\nweb ClusterIP 10.96.44.10 <none> 80/TCP 5d\n'
    expect(notesOn({ table: `${table}NAME ENDPOINTS AGE\nweb <none> 5d\n`, addresses: [] })).toEqual([
      'note: kubectl get lists no endpoint of Service web: no ready pod matches its selector, or it has none',
    ])
  })

  it('has no note without endpoints in a table, or if the table is about a different destination or namespace', () => {
    const addresses = ['10.244.1.5']
    expect(notesOn({ table: SERVICES, addresses })).toEqual([])
    expect(notesOn({ table: endpoints('<none>'), addresses, to: ['10.96.44.11', 80] })).toEqual([])
    const services =
      'NAMESPACE NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE\nshop web ClusterIP 10.96.44.10 <none> 80/TCP 5d\n'
    const tableOf = (namespace: string) => `${services}NAMESPACE NAME ENDPOINTS AGE\n${namespace} web <none> 5d\n`
    expect(notesOn({ table: tableOf('other'), addresses })).toEqual([])
    expect(notesOn({ table: tableOf('shop'), addresses })).toHaveLength(1)
  })
})
