// Builds the boot image for QEMU: Debian's cloud kernel, which has ip_vs, and a memory file system with busybox and the
// tools of this machine. It only unpacks packages from apt, so it neither needs root nor installs anything. Takes a few
// seconds.
//
// node build-image.mjs FOLDER [PROGRAM|PATH...] creates FOLDER/kernel and FOLDER/initrd, also with other programs of this machine, and
// with folders, which /opt has under their last name.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

const PATH = `${process.env.PATH}:/usr/sbin:/sbin`
const KERNEL = 'linux-image-cloud-amd64'
const PACKAGES = ['busybox-static', 'socat', 'libwrap0']
const TOOLS = ['ipvsadm', 'ipset', 'conntrack', 'nft', 'xtables-nft-multi', 'xtables-legacy-multi', 'ip']
const MODULES = [
  ...['net/netfilter', 'net/ipv4', 'net/ipv6', 'net/bridge', 'net/llc', 'net/802', 'net/sctp', 'lib', 'crypto'],
  ...['arch/x86/crypto', 'drivers/net/dummy.ko', 'drivers/net/veth.ko'],
]

const target = process.argv[2]
const unpacked = mkdtempSync(join(tmpdir(), 'kube-rules-vm-'))
const root = mkdtempSync(join(tmpdir(), 'kube-rules-root-'))
const busybox = join(unpacked, 'bin/busybox')

mkdirSync(target, { recursive: true })
unpackPackages()
for (const folder of ['bin', 'sbin', 'etc', 'proc', 'sys', 'dev', 'run', 'tmp', 'usr/sbin', 'var/run']) {
  mkdirSync(join(root, folder), { recursive: true })
}
copyFileSync(busybox, join(root, 'bin/busybox'))
symlinkSync('../bin/busybox', join(root, 'sbin/modprobe'))
for (const tool of TOOLS) copyProgram(realpathSync(run('sh', ['-c', `command -v ${tool}`]).trim()), tool)
copyProgram(join(unpacked, 'usr/bin/socat'), 'socat')
for (const extra of process.argv.slice(3)) {
  if (extra.includes('/')) cpSync(extra, join(root, 'opt', basename(extra)), { recursive: true })
  else copyProgram(realpathSync(run('sh', ['-c', `command -v ${extra}`]).trim()), extra)
}
linkIptables()
for (const file of ['/etc/protocols', '/etc/services']) if (existsSync(file)) copyFileSync(file, join(root, file))
copyModules()
copyFileSync(join(import.meta.dirname, 'init.sh'), join(root, 'init'))
chmodSync(join(root, 'init'), 0o755)
run('sh', ['-c', `cd ${root} && find . | ${busybox} cpio -o -H newc | gzip -1 > ${target}/initrd`])
run('rm', ['-r', unpacked, root])

function unpackPackages() {
  const depends = run('apt-cache', ['depends', KERNEL])
  const kernel = /Depends: (linux-image-[0-9]\S*)/.exec(depends)?.[1]
  if (kernel === undefined) throw new Error(`apt knows no package ${KERNEL}: run apt-get update`)
  run('apt-get', ['-q', 'download', kernel, ...PACKAGES], { cwd: unpacked })
  for (const file of readdirSync(unpacked)) run('dpkg', ['-x', file, '.'], { cwd: unpacked })
  const image = readdirSync(join(unpacked, 'boot')).find((name) => name.startsWith('vmlinuz'))
  copyFileSync(join(unpacked, 'boot', image), join(target, 'kernel'))
}

/** Copies a program and its libraries. */
function copyProgram(path, name) {
  copyFileSync(path, join(root, 'usr/sbin', name))
  copyLibraries(path)
}

/** Copies the linked libraries of files to the expected locations. */
function copyLibraries(...paths) {
  const libraries = ['lib/x86_64-linux-gnu', 'usr/lib/x86_64-linux-gnu'].map((folder) => join(unpacked, folder))
  const linked = run('ldd', paths, { env: { ...process.env, LD_LIBRARY_PATH: libraries.join(':') } })
  for (const [, library] of linked.matchAll(/(?:=>|^)\s+(\/\S+) \(/gm)) {
    const place = join(root, library.replace(unpacked, ''))
    mkdirSync(dirname(place), { recursive: true })
    if (!existsSync(place)) copyFileSync(library, place)
  }
}

function linkIptables() {
  for (const backend of ['nft', 'legacy']) {
    for (const family of ['iptables', 'ip6tables']) {
      for (const suffix of ['', '-restore', '-save']) {
        symlinkSync(`xtables-${backend}-multi`, join(root, `usr/sbin/${family}-${backend}${suffix}`))
      }
    }
  }
  const plugins = dirname(run('sh', ['-c', 'ls /usr/lib/*/xtables/libxt_set.so']).trim())
  cpSync(plugins, join(root, plugins), { recursive: true })
  const files = readdirSync(plugins, { withFileTypes: true }).filter((entry) => entry.isFile())
  copyLibraries(...files.map(({ name }) => join(plugins, name)))
}

function copyModules() {
  const modules = ['lib/modules', 'usr/lib/modules'].map((folder) => join(unpacked, folder)).find(existsSync)
  const version = readdirSync(modules)[0]
  const place = join(root, 'lib/modules', version)
  mkdirSync(place, { recursive: true })
  for (const name of readdirSync(join(modules, version)).filter((file) => /^modules\.(builtin|order)/.test(file))) {
    copyFileSync(join(modules, version, name), join(place, name))
  }
  for (const name of MODULES) {
    const found = [name, `${name}.xz`].find((each) => existsSync(join(modules, version, 'kernel', each)))
    if (found === undefined) continue
    mkdirSync(join(place, 'kernel', dirname(found)), { recursive: true })
    cpSync(join(modules, version, 'kernel', found), join(place, 'kernel', found), { recursive: true })
  }
  run('sh', ['-c', `find ${place} -name '*.ko.xz' -exec xz -d {} +`])
  run(busybox, ['depmod', '-b', root, version])
}

function run(program, args, options = {}) {
  const env = { ...process.env, PATH, ...options.env }
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options, env })
  } catch (error) {
    throw new Error(`${basename(program)} ${args.join(' ')}: ${error.stderr || error.message}`)
  }
}
