import type { Component } from 'svelte';
import type { CameraMessages } from '../../messages/en.camera';
import { need } from '../../lib/session/reload';
import { staff } from '../../lib/text/staff.svelte';

interface CameraProps {
  scan: (code: string) => void;
  t: CameraMessages;
  /** What was read is not shown: the next person would see it. */
  discreet?: boolean;
}

/** Switches the camera on and off. What it takes comes with the first use. */
export class CameraSwitch {
  view = $state.raw<Component<CameraProps> | undefined>();

  constructor(
    /** Returns what is said about the camera: the texts of the page that it is on. */
    private readonly texts: () => CameraMessages = () => staff.t.desk,
  ) {}

  get t(): CameraMessages {
    return this.texts();
  }

  async toggle(): Promise<void> {
    this.view = this.view ? undefined : (await need(() => import('./Camera.svelte')))?.default;
  }

  off(): void {
    this.view = undefined;
  }
}
