import type { CpuFlavor } from '../../generated/api.ts'

/** A network volume. */
export interface VolumeOffer {
  readonly id: string
  readonly dataCenterId: string
  /** GB. */
  readonly size: number
  /** Whose it is; the user of the first account unless given. */
  readonly user?: string
}

/** A flavor of the CPU catalog. */
export interface CpuFlavorOffer extends Required<Omit<CpuFlavor, 'price' | 'vcpu'>> {
  readonly vcpu: { readonly min: number; readonly max: number }
  /** USD. */
  readonly price: { readonly perVcpuHour: number }
}

export interface GpuTypeOffer {
  readonly id: string
  /** USD for one. */
  readonly pricePerHour: number
  /** True unless given. */
  readonly isAvailable?: boolean
}

export const defaultDataCenters: readonly string[] = ['dc-1', 'dc-2']

export const defaultVolumes: readonly VolumeOffer[] = [
  { id: 'vol-1', dataCenterId: 'dc-1', size: 100 },
  { id: 'vol-2', dataCenterId: 'dc-1', size: 50 },
  { id: 'vol-3', dataCenterId: 'dc-2', size: 100 },
]

export const defaultGpuTypes: readonly GpuTypeOffer[] = [
  { id: 'gpu-a', pricePerHour: 0.44 },
  { id: 'gpu-b', pricePerHour: 1.99 },
  { id: 'gpu-c', pricePerHour: 3.99, isAvailable: false },
]

export const defaultFlavors: readonly CpuFlavorOffer[] = [
  {
    id: 'cpu3c',
    name: 'Compute optimised',
    group: 'compute',
    vcpu: { min: 2, max: 32 },
    ramGbPerVcpu: 2,
    price: { perVcpuHour: 0.03 },
  },
  {
    id: 'cpu3m',
    name: 'Memory optimised',
    group: 'memory',
    vcpu: { min: 2, max: 16 },
    ramGbPerVcpu: 8,
    price: { perVcpuHour: 0.05 },
  },
]
