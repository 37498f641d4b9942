import { expect, it } from 'vitest'
import { resolvePortNames } from '../../../src/dataplane/netfilter/port-names.js'

/** The ports of IANA with their IANA names, and the ports in Debian's /etc/services. */
const ASSIGNED = `
  tcpmux 1, echo 7, ftp-data 20, ftp 21, ssh 22, telnet 23, smtp 25, domain 53, bootps 67, bootpc 68, http 80, kerberos 88, pop3 110,
  sunrpc 111, ntp 123, imap2 143, imap 143, snmp 161, bgp 179, ldap 389, https 443, submissions 465, urd 465, syslog 514, submission 587,
  ldaps 636, rsync 873, imaps 993, pop3s 995, socks 1080, openvpn 1194, ms-sql-s 1433, mqtt 1883, nfs 2049, eforward 2181, etcd-client 2379,
  etcd-server 2380, mysql 3306, epmd 4369, xmpp-client 5222, mdns 5353, postgresql 5432, postgres 5432, amqps 5671, amqp 5672, x11 6000,
  sun-sr-https 6443, afs3-fileserver 7000, irdmi 8000, vcom-tunnel 8001, mcreport 8003, http-alt 8080, webcache 8080, tproxy 8081,
  us-cli 8082, us-srv 8083, radan-http 8088, pcsync-https 8443, cslistener 9000, websm 9090, XmlIpcRegSvc 9092, jetdirect 9100,
  bacula-dir 9101, wap-wsp 9200, zabbix-agent 10050, memcache 11211
`

it.each(
  ASSIGNED.trim()
    .split(/,\s+/)
    .map((each) => each.split(' ') as [string, string]),
)('resolvePortNames converts the port %s to %s', (name, port) => {
  expect(resolvePortNames(name)).toBe(port)
})

it('resolvePortNames converts both ends of a range, and keeps unknown words', () => {
  expect(resolvePortNames('ssh:http')).toBe('22:80')
  expect(resolvePortNames('8080:8443')).toBe('8080:8443')
  expect(resolvePortNames('constructor')).toBe('constructor')
})
