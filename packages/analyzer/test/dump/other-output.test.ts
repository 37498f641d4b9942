import { describe, expect, it } from 'vitest'
import { findOtherTool } from '../../src/dump/pasted/other-output.js'

describe('findOtherTool', () => {
  it.each([
    'NAME         TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE   SELECTOR',
    'NAMESPACE   NAME   ENDPOINTS   AGE',
    'service/web          NodePort    10.96.0.10   <none>        80:30080/TCP   5d    app=web',
    'shop   service/web   ExternalName   <none>   example.com   <none>   5d',
    'endpoints/web          10.244.1.5:8080,10.244.2.7:8080   5d',
    'endpointslice.discovery.k8s.io/web-1   IPv4   8080   10.244.1.5   5d',
    'web          NodePort    10.96.0.10   <none>        80:30080/TCP   5d    app=web',
    'shop    web    LoadBalancer    10.96.0.10   192.0.2.5   80:30080/TCP,443:30443/TCP   5d3h',
    'kubernetes   192.168.0.2:6443                  10d',
    'web          10.244.1.5:8080,10.244.1.6:8080,10.244.1.7:8080 + 2 more...   10d',
    'web          [fd00::1]:8080   10d',
    'web          <none>   44m',
  ])('finds lines of kubectl get: %s', (line) => {
    expect(findOtherTool(line)).toBe('kubectl get')
  })

  it.each([
    'tcp      6 86385 ESTABLISHED src=10.244.1.9 dst=10.96.0.10 sport=1 dport=80 src=10.244.1.5 dst=10.244.1.9 sport=8080 dport=1',
    'ipv4     2 udp      17 29 src=10.244.1.9 dst=10.96.0.10 sport=1 dport=53 [UNREPLIED] src=10.244.1.5 dst=10.244.1.9 sport=53',
    'conntrack v1.4.6 (conntrack-tools): 2 flow entries have been shown.',
  ])('finds lines of conntrack: %s', (line) => {
    expect(findOtherTool(line)).toBe('conntrack')
  })

  it.each([
    'LISTEN   0        4096             0.0.0.0:30080          0.0.0.0:*',
    'Proto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name',
    'tcp6       0      0 :::10256                :::*                    LISTEN      1234/kube-proxy',
  ])('finds lines of ss and netstat: %s', (line) => {
    expect(findOtherTool(line)).toBe('ss or netstat')
  })

  it.each([
    ['net.ipv4.ip_forward = 0', 'sysctl'],
    ['default via 192.168.0.1 dev eth0 proto dhcp metric 100', 'ip route'],
    ['32766:	from all lookup main', 'ip rule'],
    ['TCP 14:58  ESTABLISHED 10.244.1.9:51234   10.96.0.10:80      10.244.9.9:8080', 'ipvsadm -Lc'],
  ])('finds the tool of %s', (line, tool) => {
    expect(findOtherTool(line)).toBe(tool)
  })

  it.each([
    'and now the rules of the web Service',
    'web has 3 endpoints, 5d old',
    '-A KUBE-SVC-A -j KUBE-SEP-B',
    'service/web is broken',
    'TCP  10.96.0.10:80 rr',
    'I replaced default via 192.168.0.1 dev eth0',
    'now net.ipv4.ip_forward = 0',
    'with 32766: from all lookup main',
    'I see TCP 14:58  ESTABLISHED 10.244.1.9:51234',
    'still LISTEN 0 4096',
    'only tcp 6 86385 ESTABLISHED src=10.244.1.9 dst=10.96.0.10',
    'There is NAME  TYPE  CLUSTER-IP',
  ])('finds no tool of %s', (line) => {
    expect(findOtherTool(line)).toBeUndefined()
  })
})
