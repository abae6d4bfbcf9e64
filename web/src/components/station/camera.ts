import { CameraSwitch } from '../desk/cameraswitch.svelte';
import { stationTexts } from '../../lib/text/stationtexts';

/** The camera of the station, which stays on from one visit to the next. */
export const counterCamera = new CameraSwitch(() => stationTexts.t.camera);
