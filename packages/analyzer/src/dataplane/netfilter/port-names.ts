import { PORT_NAMES } from '@kube-rules/compiler/internal/dataplane/netfilter/port-names'

/** Ports that listings without `-n` print by name (`/etc/services`), limited to likely ports of Services. */
const PORTS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(PORT_NAMES.map(([name, port]) => [name, port])),
  imap: 143,
  urd: 465,
  mqtt: 1883,
  'etcd-client': 2379,
  'etcd-server': 2380,
  eforward: 2181,
  postgres: 5432,
  'sun-sr-https': 6443,
  webcache: 8080,
  'us-cli': 8082,
  'us-srv': 8083,
  'vcom-tunnel': 8001,
  irdmi: 8000,
  'radan-http': 8088,
  'pcsync-https': 8443,
  mcreport: 8003,
  cslistener: 9000,
  jetdirect: 9100,
  websm: 9090,
  XmlIpcRegSvc: 9092,
  'wap-wsp': 9200,
  memcache: 11211,
}

/** Converts port names: `http` and `80` become `80`; an unknown name is unchanged. */
export function resolvePortNames(text: string): string {
  return text
    .split(':')
    .map((word) => (Object.hasOwn(PORTS, word) ? String(PORTS[word]) : word))
    .join(':')
}
