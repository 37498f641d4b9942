/** The ports that listings without `-n` print by name: common ports in `/etc/services` of Debian 12. */
export const PORT_NAMES: readonly (readonly [name: string, port: number, protocols: string])[] = [
  ['tcpmux', 1, 'tcp'],
  ['echo', 7, 'tcp udp'],
  ['ftp-data', 20, 'tcp'],
  ['ftp', 21, 'tcp'],
  ['ssh', 22, 'tcp'],
  ['telnet', 23, 'tcp'],
  ['smtp', 25, 'tcp'],
  ['domain', 53, 'tcp udp'],
  ['bootps', 67, 'udp'],
  ['bootpc', 68, 'udp'],
  ['http', 80, 'tcp'],
  ['kerberos', 88, 'tcp udp'],
  ['pop3', 110, 'tcp'],
  ['sunrpc', 111, 'tcp udp'],
  ['ntp', 123, 'udp'],
  ['imap2', 143, 'tcp'],
  ['snmp', 161, 'tcp udp'],
  ['bgp', 179, 'tcp'],
  ['ldap', 389, 'tcp udp'],
  ['https', 443, 'tcp udp'],
  ['submissions', 465, 'tcp'],
  ['syslog', 514, 'udp'],
  ['submission', 587, 'tcp'],
  ['ldaps', 636, 'tcp udp'],
  ['rsync', 873, 'tcp'],
  ['imaps', 993, 'tcp'],
  ['pop3s', 995, 'tcp'],
  ['socks', 1080, 'tcp'],
  ['openvpn', 1194, 'tcp udp'],
  ['ms-sql-s', 1433, 'tcp'],
  ['nfs', 2049, 'tcp udp'],
  ['mysql', 3306, 'tcp'],
  ['epmd', 4369, 'tcp'],
  ['xmpp-client', 5222, 'tcp'],
  ['mdns', 5353, 'udp'],
  ['postgresql', 5432, 'tcp'],
  ['amqp', 5672, 'tcp'],
  ['amqps', 5671, 'tcp'],
  ['x11', 6000, 'tcp'],
  ['afs3-fileserver', 7000, 'udp'],
  ['http-alt', 8080, 'tcp'],
  ['tproxy', 8081, 'tcp'],
  ['bacula-dir', 9101, 'tcp'],
  ['zabbix-agent', 10050, 'tcp'],
]

const NAMES: ReadonlyMap<string, string> = new Map(
  PORT_NAMES.flatMap(([name, port, protocols]) =>
    protocols.split(' ').map((protocol): [string, string] => [`${port}/${protocol}`, name]),
  ),
)

/** Returns the name of a port. Returns undefined if a listing prints the number of the port. */
export function findPortName(port: number, protocol: string | undefined): string | undefined {
  return NAMES.get(`${port}/${protocol}`)
}
